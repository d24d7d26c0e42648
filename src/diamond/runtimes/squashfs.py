"""What a squashfs file (version 4.0) says of its regular files, and the pieces that make a new one.

Inodes and folders must not be compressed (`mksquashfs -noI`), and no fragments be used: then every byte can be found
with the standard library, whatever compresses the data. The format: Documentation/filesystems/squashfs.rst of Linux.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Dict, Iterator, List, NamedTuple, Tuple

READABLE = ["-noI", "-no-fragments", "-no-xattrs", "-no-exports"]
"""The words by which mksquashfs makes what `read_contents` reads."""
MAGIC = 0x73717368
ABSENT = 0xFFFFFFFFFFFFFFFF
NO_FRAGMENT = 0xFFFFFFFF
METADATA = 8192
UNCOMPRESSED_INODES, NO_FRAGMENTS, NO_XATTRS, OPTIONS = 0x1, 0x10, 0x200, 0x400
FOLDER, FILE, LINK, BLOCK, CHARACTER, FIFO, SOCKET, LONG_FOLDER, LONG_FILE = range(1, 10)
COMMON = struct.Struct("<HHHHII")
SHORT_FOLDER_BODY, LONG_FOLDER_BODY = struct.Struct("<IIHHI"), struct.Struct("<IIIIHHI")
SHORT_FILE_BODY, LONG_FILE_BODY = struct.Struct("<IIII"), struct.Struct("<QQQIIII")
RUN, ENTRY = struct.Struct("<III"), struct.Struct("<HhHH")
_SUPERBLOCK = struct.Struct("<IIIIIHHHHHHQQQQQQQQ")
SUPERBLOCK_BYTES = _SUPERBLOCK.size
_UNCOMPRESSED_BLOCK = 1 << 24


class Unreadable(Exception):
    """A squashfs of another shape than `READABLE` makes."""


class Superblock(NamedTuple):
    """The first 96 bytes; a table that is not there begins at `ABSENT`."""

    magic: int
    inodes: int
    mtime: int
    block_size: int
    fragments: int
    compressor: int
    block_log: int
    flags: int
    ids: int
    major: int
    minor: int
    root: int
    used: int
    id_table: int
    xattr_table: int
    inode_table: int
    folder_table: int
    fragment_table: int
    export_table: int

    def pack(self) -> bytes:
        return _SUPERBLOCK.pack(*self)


@dataclass(frozen=True)
class Content:
    """Where the bytes of a regular file are."""

    start: int
    size: int
    sparse: int
    """Bytes that are holes."""
    blocks: bytes
    """The length of each block as it is stored, 4 bytes each."""
    mtime: int

    @property
    def stored(self) -> int:
        sizes = struct.unpack(f"<{len(self.blocks) // 4}I", self.blocks)
        return sum(size & ~_UNCOMPRESSED_BLOCK for size in sizes)


@dataclass(frozen=True)
class Packed:
    """A squashfs file and its regular files by path."""

    file: Path
    block_size: int
    compressor: int
    options: bytes
    """The compressor's options, as stored behind the superblock."""
    contents: Dict[bytes, Content]


def read_contents(file: Path) -> Packed:
    """Raises `Unreadable`."""
    with file.open("rb") as source:
        head = _superblock(source)
        options = _metadata(source) if head.flags & OPTIONS else b""
        inodes = _table(source, head.inode_table, head.folder_table)
        folders = _table(source, head.folder_table, min(head.fragment_table, _ids_begin(head)))
    tree = _Tree(inodes, folders, head.block_size)
    contents = dict(tree.files(_place(head.root >> 16, head.root & 0xFFFF), b""))
    return Packed(file, head.block_size, head.compressor, options, contents)


def _superblock(source: BinaryIO) -> Superblock:
    raw = source.read(SUPERBLOCK_BYTES)
    if len(raw) < SUPERBLOCK_BYTES:
        raise Unreadable("cut off")
    head = Superblock(*_SUPERBLOCK.unpack(raw))
    if head.magic != MAGIC or head.fragments or not head.flags & UNCOMPRESSED_INODES:
        raise Unreadable("no squashfs without fragments and with readable inodes")
    return head


def _ids_begin(head: Superblock) -> int:
    """Behind the folders stand the ids; the table that is pointed at comes after them."""
    length = head.ids * 4
    return head.id_table - length - 2 * -(-length // METADATA)


def _metadata(source: BinaryIO) -> bytes:
    """One block with its header."""
    header = source.read(2)
    return header + source.read(struct.unpack("<H", header)[0] & 0x7FFF)


def _table(source: BinaryIO, start: int, end: int) -> bytes:
    """The blocks between two places, without their headers."""
    source.seek(start)
    raw = source.read(end - start)
    step = METADATA + 2
    for place in range(0, len(raw), step):
        (header,) = struct.unpack_from("<H", raw, place)
        if header != 0x8000 | min(METADATA, len(raw) - place - 2):
            raise Unreadable("a block of metadata is compressed")
    return b"".join(raw[place + 2 : place + step] for place in range(0, len(raw), step))


def _place(block: int, offset: int) -> int:
    """A reference into a table, counted without headers."""
    return block // (METADATA + 2) * METADATA + offset


class _Tree:
    def __init__(self, inodes: bytes, folders: bytes, block_size: int) -> None:
        self._inodes, self._folders, self._block_size = inodes, folders, block_size

    def files(self, inode: int, path: bytes) -> Iterator[Tuple[bytes, Content]]:
        """All regular files below the folder whose inode is there."""
        for kind, place, name in self._entries(inode):
            below = path + b"/" + name if path else name
            if kind == FOLDER:
                yield from self.files(place, below)
            elif kind == FILE:
                yield below, self._content(place)

    def _entries(self, inode: int) -> List[Tuple[int, int, bytes]]:
        kind = COMMON.unpack_from(self._inodes, inode)[0]
        at = inode + COMMON.size
        if kind == FOLDER:
            block, _, length, offset, _ = SHORT_FOLDER_BODY.unpack_from(self._inodes, at)
        else:
            _, length, block, _, _, offset, _ = LONG_FOLDER_BODY.unpack_from(self._inodes, at)
        start = _place(block, offset)
        return list(self._listing(start, start + length - 3))

    def _listing(self, at: int, end: int) -> Iterator[Tuple[int, int, bytes]]:
        while at < end:
            count, block, _ = RUN.unpack_from(self._folders, at)
            at += RUN.size
            for _ in range(count + 1):
                offset, _, kind, length = ENTRY.unpack_from(self._folders, at)
                at += ENTRY.size
                yield kind, _place(block, offset), self._folders[at : at + length + 1]
                at += length + 1

    def _content(self, inode: int) -> Content:
        kind, _, _, _, mtime, _ = COMMON.unpack_from(self._inodes, inode)
        at = inode + COMMON.size
        if kind == FILE:
            start, _, _, size = SHORT_FILE_BODY.unpack_from(self._inodes, at)
            sparse, at = 0, at + SHORT_FILE_BODY.size
        else:
            start, size, sparse, *_ = LONG_FILE_BODY.unpack_from(self._inodes, at)
            at += LONG_FILE_BODY.size
        length = 4 * -(-size // self._block_size)
        return Content(start, size, sparse, self._inodes[at : at + length], mtime)
