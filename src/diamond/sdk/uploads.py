"""Upload code to the service; only files that it does not have are sent."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from diamond.code.snapshots import Snapshot
from diamond.core.errors import Conflict
from diamond.sdk.transport import API, Transport, path_segment

BATCH_BYTES = 64 * 2**20
IN_MEMORY_BYTES = 8 * 2**20

Source = Path | bytes


def upload_snapshot(
    transport: Transport, snapshot: Snapshot, say: Callable[[str], None], project: str = ""
) -> None:
    """Upload missing blobs; the service rejects them for a restricted project."""
    sources: dict[str, Source] = {**snapshot.files, snapshot.digest: snapshot.manifest}
    if snapshot.dirty_diff:
        sources[sha256_digest(snapshot.dirty_diff)] = snapshot.dirty_diff
    missing = transport.post(f"{API}/blobs/missing", {"digests": list(sources)})["missing"]
    files, missing_set = _file_digests(snapshot), set(missing)
    new = sum(digest in missing_set for digest in files)
    if new:
        say(f"Uploading {new} of {len(files)} {'file' if len(files) == 1 else 'files'}")
    for batch in _batches([(digest, sources[digest]) for digest in missing]):
        _send_batch(transport, batch, project)


def upload_file(transport: Transport, path: Path) -> None:
    """Upload one file, unless the service already has it."""
    with path.open("rb") as source:
        digest = "sha256:" + hashlib.file_digest(source, "sha256").hexdigest()
    if transport.post(f"{API}/blobs/missing", {"digests": [digest]})["missing"]:
        _send_batch(transport, [(digest, path)])


def _file_digests(snapshot: Snapshot) -> list[str]:
    """One digest per file, even for equal files; links have none."""
    entries = json.loads(snapshot.manifest)["files"]
    return ["sha256:" + str(entry["sha256"]) for entry in entries if "sha256" in entry]


def sha256_digest(content: bytes) -> str:
    return "sha256:" + hashlib.sha256(content).hexdigest()


def _send_batch(transport: Transport, batch: list[tuple[str, Source]], project: str = "") -> None:
    with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY_BYTES) as file:
        with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for digest, source in batch:
                _add(archive, digest, source)
        size = file.tell()
        file.seek(0)
        headers = {"Content-Type": "application/x-tar", "Content-Length": str(size)}
        path = f"{API}/blobs" + (f"?project={path_segment(project)}" if project else "")
        transport.call("POST", path, body=file, headers=headers)  # type: ignore[arg-type]


def _add(archive: tarfile.TarFile, digest: str, source: Source) -> None:
    info = tarfile.TarInfo(digest.removeprefix("sha256:"))
    info.size = len(source) if isinstance(source, bytes) else source.stat().st_size
    with _opened(source) as stream:
        counted = _Hashed(stream)
        try:
            archive.addfile(info, counted)
        except OSError as error:
            raise FileChanged(source) from error
    if counted.digest != digest:
        raise FileChanged(source)


class FileChanged(Conflict):
    """A file has other bytes than when its digest was taken."""

    code = "file-changed"

    def __init__(self, source: Source) -> None:
        name = "the list of files" if isinstance(source, bytes) else str(source)
        super().__init__(
            f"{name} changes while it is uploaded",
            "Wait until nothing writes to it, write it outside of the folder, or name it in .diamondignore.",
        )


class _Hashed(io.RawIOBase):
    """Takes the digest of what is read."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__()
        self._stream, self._hash = stream, hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        block = self._stream.read(size)
        self._hash.update(block)
        return block

    @property
    def digest(self) -> str:
        return "sha256:" + self._hash.hexdigest()


def _opened(source: Source) -> IO[bytes]:
    return io.BytesIO(source) if isinstance(source, bytes) else source.open("rb")


def _batches(sources: list[tuple[str, Source]]) -> Iterator[list[tuple[str, Source]]]:
    batch: list[tuple[str, Source]] = []
    total = 0
    for digest, source in sources:
        size = len(source) if isinstance(source, bytes) else source.stat().st_size
        if batch and total + size > BATCH_BYTES:
            yield batch
            batch, total = [], 0
        batch.append((digest, source))
        total += size
    if batch:
        yield batch
