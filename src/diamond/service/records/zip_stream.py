"""A zip that is sent while it is made: nothing large is ever in memory or on disk."""

from __future__ import annotations

import asyncio
import stat
import zipfile
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from pathlib import Path

BLOCK = 1 << 20
_OLDEST = (1980, 1, 1, 0, 0, 0)
"""The same bytes make the same zip."""


@dataclass(frozen=True)
class ZipPart:
    """A file of the zip: its bytes, or where they are. `link`: a symbolic link to this."""

    path: str
    content: bytes | Path = b""
    is_executable: bool = False
    link: str = ""


class _Sink:
    """Takes what `zipfile` writes; it cannot seek, so sizes follow each file."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0

    def write(self, data: bytes) -> int:
        self._pieces.append(bytes(data))
        self._size += len(data)
        return len(data)

    def flush(self) -> None:
        pass

    def tell(self) -> int:
        return self._size

    def seekable(self) -> bool:
        return False

    def take(self) -> bytes:
        taken = b"".join(self._pieces)
        self._pieces.clear()
        return taken


async def zip_stream(parts: Iterable[ZipPart]) -> AsyncIterator[bytes]:
    sink = _Sink()
    archive = zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED)  # type: ignore[call-overload]
    for part in parts:
        async for piece in _written(archive, sink, part):
            yield piece
    archive.close()
    yield sink.take()


async def _written(archive: zipfile.ZipFile, sink: _Sink, part: ZipPart) -> AsyncIterator[bytes]:
    info = zipfile.ZipInfo(part.path, _OLDEST)
    info.compress_type = zipfile.ZIP_DEFLATED
    kind, mode = (stat.S_IFLNK, 0o777) if part.link else (stat.S_IFREG, 0o644)
    info.external_attr = (kind | mode | (0o111 if part.is_executable else 0)) << 16
    with archive.open(info, "w", force_zip64=isinstance(part.content, Path)) as target:
        if part.link:
            target.write(part.link.encode())
        elif isinstance(part.content, bytes):
            target.write(part.content)
        else:
            with part.content.open("rb") as source:
                while block := await asyncio.to_thread(source.read, BLOCK):
                    await asyncio.to_thread(target.write, block)
                    yield sink.take()
    yield sink.take()
