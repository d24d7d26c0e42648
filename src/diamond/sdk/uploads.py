"""Upload code to the service; only files that it does not have are sent."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from diamond.code.snapshots import Snapshot
from diamond.core.errors import Conflict
from diamond.core.units import show_bytes
from diamond.sdk.transport import API, Transport, path_segment

BATCH_BYTES = 64 * 2**20
IN_MEMORY_BYTES = 8 * 2**20
FIRST_WORD_SECONDS = 2.0
WORD_SECONDS = 5.0

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
    to_send = [(digest, sources[digest]) for digest in missing]
    progress = UploadProgress(sum(_size(source) for _, source in to_send), say)
    for batch in _batches(to_send):
        _send_batch(transport, batch, project, progress.sent)


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


def _send_batch(
    transport: Transport,
    batch: list[tuple[str, Source]],
    project: str = "",
    on_sent: Callable[[int], None] = lambda count: None,
) -> None:
    with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY_BYTES) as file:
        with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for digest, source in batch:
                _add(archive, digest, source)
        size = file.tell()
        file.seek(0)
        headers = {"Content-Type": "application/x-tar", "Content-Length": str(size)}
        path = f"{API}/blobs" + (f"?project={path_segment(project)}" if project else "")
        watched = _WatchedFile(file, on_sent)
        transport.call("POST", path, body=watched, headers=headers)  # type: ignore[arg-type]


class UploadProgress:
    """Says how far an upload is, once it has taken two seconds and then now and then."""

    def __init__(
        self,
        total: int,
        say: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._total, self._say, self._clock = total, say, clock
        self._sent, self._began = 0, clock()
        self._next = self._began + FIRST_WORD_SECONDS

    def sent(self, count: int) -> None:
        """`count` more bytes are on their way; fewer than none after a repeat from the beginning."""
        self._sent += count
        now = self._clock()
        if now < self._next or self._sent >= self._total:
            return
        self._next = now + WORD_SECONDS
        self._say(self._line(now - self._began))

    def _line(self, seconds: float) -> str:
        have = f"{show_bytes(self._sent)} of {show_bytes(self._total)}"
        left = seconds * (self._total - self._sent) / max(1, self._sent)
        shown = f"{left:.0f} s" if left < 90 else f"{left / 60:.0f} min"
        return f"Uploaded {have} ({100 * self._sent / self._total:.0f} %), about {shown} left"


class _WatchedFile:
    """A file that says how much of it was read; a repeated call reads it again."""

    def __init__(self, file: IO[bytes], on_read: Callable[[int], None]) -> None:
        self._file, self._on_read = file, on_read

    def read(self, count: int = -1) -> bytes:
        data = self._file.read(count)
        self._on_read(len(data))
        return data

    def seek(self, offset: int) -> int:
        self._on_read(offset - self._file.tell())
        return self._file.seek(offset)


def _size(source: Source) -> int:
    return len(source) if isinstance(source, bytes) else source.stat().st_size


def _add(archive: tarfile.TarFile, digest: str, source: Source) -> None:
    info = tarfile.TarInfo(digest.removeprefix("sha256:"))
    info.size = _size(source)
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
        size = _size(source)
        if batch and total + size > BATCH_BYTES:
            yield batch
            batch, total = [], 0
        batch.append((digest, source))
        total += size
    if batch:
        yield batch
