"""A zip that is sent while it is made: nothing large is ever in memory or on disk."""

from __future__ import annotations

import asyncio
import stat
import zipfile
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from diamond.data.manifest import Entry, FolderEntry, LinkEntry
from diamond.service.trees.reading import Block

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


@dataclass(frozen=True)
class ZipTree:
    """A folder of the zip whose files come from elsewhere while it is sent, one after the other."""

    folder: str
    """Ends with /."""
    others: Sequence[Entry]
    """Its links and empty folders."""
    blocks: Callable[[], AsyncIterator[Block]]


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


async def zip_stream(parts: Iterable[ZipPart | ZipTree]) -> AsyncIterator[bytes]:
    sink = _Sink()
    archive = zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED)  # type: ignore[call-overload]
    for part in parts:
        if isinstance(part, ZipPart):
            pieces = _written(archive, sink, part)
        else:
            pieces = _tree_written(archive, sink, part)
        async for piece in pieces:
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


async def _tree_written(
    archive: zipfile.ZipFile, sink: _Sink, tree: ZipTree
) -> AsyncIterator[bytes]:
    """Data are stored as they are: most are packed already, and packing them here would cost the service its processor."""
    for entry in tree.others:
        if isinstance(entry, LinkEntry):
            part = ZipPart(f"{tree.folder}{entry.path}", link=entry.target)
            async for piece in _written(archive, sink, part):
                yield piece
        elif isinstance(entry, FolderEntry):
            archive.writestr(zipfile.ZipInfo(f"{tree.folder}{entry.path}/", _OLDEST), b"")
    target = None
    async for block in tree.blocks():
        if target is None:
            info = zipfile.ZipInfo(f"{tree.folder}{block.file.path}", _OLDEST)
            info.external_attr = (
                stat.S_IFREG | (0o755 if block.file.is_executable else 0o644)
            ) << 16
            target = archive.open(info, "w", force_zip64=True)
        await asyncio.to_thread(target.write, block.content)
        if block.is_last:
            target.close()
            target = None
        yield sink.take()
