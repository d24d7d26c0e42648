"""Code on its way to the service: only what it does not hold yet is sent."""

from __future__ import annotations

import hashlib
import io
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from diamond.core.errors import Conflict
from diamond.data.snapshots import DEFAULT_SIZE_LIMIT, Snapshot, take_snapshot, why_not_by_itself
from diamond.sdk.transport import API, Transport

BATCH_BYTES = 64 * 2**20
IN_MEMORY_BYTES = 8 * 2**20

Source = Path | bytes


@dataclass(frozen=True)
class SentCode:
    """`body` is what POST /jobs takes as `code`; `notes` are words for the person."""

    body: dict[str, Any] | None = None
    notes: list[str] = field(default_factory=list)


def send_code(
    transport: Transport,
    code: object,
    folder: Path,
    *,
    cache: Path | None = None,
    size_limit: int = DEFAULT_SIZE_LIMIT,
    say: Callable[[str], None] = lambda words: None,
) -> SentCode:
    """Send the folder that a spec's `code:` names, relative to `folder`; without one, `folder` itself if it may go."""
    if isinstance(code, str) and is_git_url(code):
        return SentCode()
    if not isinstance(code, str):
        why = why_not_by_itself(folder)
        if why:
            return SentCode(notes=[f"No code travels along: {why}"])
    chosen = folder / code if isinstance(code, str) else folder
    snapshot = take_snapshot(chosen, size_limit=size_limit, cache=cache)
    upload(transport, snapshot, say)
    return SentCode(_body(snapshot), _notes(snapshot))


def is_git_url(text: str) -> bool:
    return "://" in text or text.startswith("git@")


def upload(transport: Transport, snapshot: Snapshot, say: Callable[[str], None]) -> None:
    """Send the blobs that are missing there."""
    sources: dict[str, Source] = {**snapshot.files, snapshot.digest: snapshot.manifest}
    if snapshot.dirty_diff:
        sources[digest_of(snapshot.dirty_diff)] = snapshot.dirty_diff
    missing = transport.post(f"{API}/blobs/missing", {"digests": list(sources)})["missing"]
    if missing:
        say(f"Sending {len(missing)} of {len(sources)} files")
    for batch in _batches([(digest, sources[digest]) for digest in missing]):
        _send_batch(transport, batch)


def digest_of(content: bytes) -> str:
    return "sha256:" + hashlib.sha256(content).hexdigest()


def _send_batch(transport: Transport, batch: list[tuple[str, Source]]) -> None:
    with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY_BYTES) as file:
        with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for digest, source in batch:
                _add(archive, digest, source)
        size = file.tell()
        file.seek(0)
        headers = {"Content-Type": "application/x-tar", "Content-Length": str(size)}
        transport.call("POST", f"{API}/blobs", body=file, headers=headers)  # type: ignore[arg-type]


def _add(archive: tarfile.TarFile, digest: str, source: Source) -> None:
    info = tarfile.TarInfo(digest.removeprefix("sha256:"))
    info.size = len(source) if isinstance(source, bytes) else source.stat().st_size
    with _opened(source) as stream:
        try:
            archive.addfile(info, stream)
        except OSError as error:
            raise Conflict(f"{source!s} changed while it was sent", "Run it again.") from error


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


def _body(snapshot: Snapshot) -> dict[str, Any]:
    body: dict[str, Any] = {
        "snapshot": snapshot.digest,
        "commit": snapshot.commit,
        "dirty": snapshot.dirty,
        "left_out": [f"{path} ({why})" for path, why in snapshot.left_out],
        "files": snapshot.manifest.count(b'"path":'),
        "bytes": snapshot.size,
    }
    if snapshot.dirty_diff:
        body["diff"] = digest_of(snapshot.dirty_diff)
    return body


def _notes(snapshot: Snapshot) -> list[str]:
    left = [f"Left out: {path} ({why})" for path, why in snapshot.left_out]
    return [*left, *snapshot.warnings]
