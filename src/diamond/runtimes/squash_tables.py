"""Inodes, folders and ids of a squashfs, written behind its data. None of them is compressed, so they can be read again."""

from __future__ import annotations

import os
import stat
import struct
import time
from dataclasses import dataclass, field
from typing import BinaryIO, Dict, List, Sequence, Tuple

from diamond.runtimes.squashfs import (
    ABSENT,
    BLOCK,
    CHARACTER,
    COMMON,
    ENTRY,
    FILE,
    FOLDER,
    LINK,
    LONG_FILE,
    LONG_FILE_BODY,
    LONG_FOLDER,
    LONG_FOLDER_BODY,
    MAGIC,
    METADATA,
    NO_FRAGMENT,
    NO_FRAGMENTS,
    NO_XATTRS,
    OPTIONS,
    RUN,
    SHORT_FILE_BODY,
    SHORT_FOLDER_BODY,
    UNCOMPRESSED_INODES,
    Content,
    Packed,
    Superblock,
)

_NO_XATTR = 0xFFFFFFFF
_PAGE = 4096
_RUN_LENGTH = 256
_NOTHING = Content(0, 0, 0, b"", 0)


@dataclass
class Node:
    """One thing in the tree; hard links share it."""

    status: os.stat_result
    kind: int
    number: int
    links: int = 1
    target: bytes = b""
    """Of a symbolic link."""
    content: Content = _NOTHING
    """With its start in the new file."""
    children: List[Tuple[bytes, Node]] = field(default_factory=list)
    place: int = 0
    """Of its inode in the table, without headers."""


class Tables:
    """For a tree of `count` nodes, in the way of an older squashfs."""

    def __init__(self, like: Packed, count: int) -> None:
        self._like, self._count = like, count
        self._inodes, self._folders = bytearray(), bytearray()
        self._ids: Dict[int, int] = {}
        self._written: Dict[int, int] = {}

    def write(self, root: Node, sink: BinaryIO) -> None:
        self._folder(root, self._count + 1)
        inode_table = sink.tell()
        sink.write(_blocks(bytes(self._inodes)))
        folder_table = sink.tell()
        sink.write(_blocks(bytes(self._folders)))
        ids = sink.tell()
        sink.write(_blocks(struct.pack(f"<{len(self._ids)}I", *self._ids)))
        id_table = sink.tell()
        for number in range(-(-4 * len(self._ids) // METADATA)):
            sink.write(struct.pack("<Q", ids + number * (METADATA + 2)))
        used = sink.tell()
        sink.write(bytes(-used % _PAGE))
        sink.seek(0)
        sink.write(self._head(root, used, id_table, inode_table, folder_table, ids).pack())

    def _head(
        self, root: Node, used: int, id_table: int, inodes: int, folders: int, ids: int
    ) -> Superblock:
        options = OPTIONS if self._like.options else 0
        return Superblock(
            magic=MAGIC,
            inodes=self._count,
            mtime=int(time.time()),
            block_size=self._like.block_size,
            fragments=0,
            compressor=self._like.compressor,
            block_log=self._like.block_size.bit_length() - 1,
            flags=UNCOMPRESSED_INODES | NO_FRAGMENTS | NO_XATTRS | options,
            ids=len(self._ids),
            major=4,
            minor=0,
            root=_block_of(root.place) << 16 | root.place % METADATA,
            used=used,
            id_table=id_table,
            xattr_table=ABSENT,
            inode_table=inodes,
            folder_table=folders,
            fragment_table=ids,
            export_table=ABSENT,
        )

    def _folder(self, node: Node, parent: int) -> None:
        """The inodes of what is inside first: the listing points at them, and the folder's own at the listing."""
        for _, child in node.children:
            if child.kind == FOLDER:
                self._folder(child, node.number)
            elif child.number not in self._written:
                self._written[child.number] = 1
                self._add(child, *_body(child))
        start = len(self._folders)
        self._folders += _listing(node.children)
        length, links = len(self._folders) - start + 3, 2 + _folders_in(node)
        block, offset = _block_of(start), start % METADATA
        if length <= 0xFFFF:
            body = SHORT_FOLDER_BODY.pack(block, links, length, offset, parent)
            return self._add(node, FOLDER, body)
        body = LONG_FOLDER_BODY.pack(links, length, block, parent, 0, offset, _NO_XATTR)
        return self._add(node, LONG_FOLDER, body)

    def _add(self, node: Node, kind: int, body: bytes) -> None:
        node.place = len(self._inodes)
        status = node.status
        rights = stat.S_IMODE(status.st_mode)
        owner, group = self._id(status.st_uid), self._id(status.st_gid)
        self._inodes += COMMON.pack(kind, rights, owner, group, whole_seconds(status), node.number)
        self._inodes += body

    def _id(self, number: int) -> int:
        return self._ids.setdefault(number, len(self._ids))


def _body(node: Node) -> Tuple[int, bytes]:
    """The kind of inode and what stands behind the common part."""
    if node.kind == FILE:
        return _file_body(node)
    if node.kind == LINK:
        return LINK, struct.pack("<II", node.links, len(node.target)) + node.target
    if node.kind in (BLOCK, CHARACTER):
        return node.kind, struct.pack("<II", node.links, _device(node.status.st_rdev))
    return node.kind, struct.pack("<I", node.links)


def _file_body(node: Node) -> Tuple[int, bytes]:
    content = node.content
    is_short = node.links == 1 and not content.sparse
    if is_short and content.start < 2**32 and content.size < 2**32:
        head = SHORT_FILE_BODY.pack(content.start, NO_FRAGMENT, 0, content.size)
        return FILE, head + content.blocks
    where = (content.start, content.size, content.sparse)
    return LONG_FILE, LONG_FILE_BODY.pack(
        *where, node.links, NO_FRAGMENT, 0, _NO_XATTR
    ) + content.blocks


def _listing(children: Sequence[Tuple[bytes, Node]]) -> bytes:
    """In runs of entries whose inodes are in one block, with numbers near the first one's."""
    made, run = bytearray(), bytearray()
    count, block, first = 0, 0, 0
    for name, node in children:
        near = _block_of(node.place) == block and abs(node.number - first) < 2**15
        if count and (not near or count == _RUN_LENGTH):
            made += RUN.pack(count - 1, block, first) + run
            count, run = 0, bytearray()
        if not count:
            block, first = _block_of(node.place), node.number
        run += ENTRY.pack(node.place % METADATA, node.number - first, node.kind, len(name) - 1)
        run += name
        count += 1
    return bytes(made + RUN.pack(count - 1, block, first) + run) if count else b""


def _blocks(table: bytes) -> bytes:
    """Cut into blocks of metadata, each with its header."""
    pieces = (table[place : place + METADATA] for place in range(0, len(table), METADATA))
    return b"".join(struct.pack("<H", 0x8000 | len(piece)) + piece for piece in pieces)


def _block_of(place: int) -> int:
    """Where the block of that place begins, headers counted."""
    return place // METADATA * (METADATA + 2)


def _folders_in(node: Node) -> int:
    return sum(child.kind == FOLDER for _, child in node.children)


def whole_seconds(status: os.stat_result) -> int:
    """As squashfs has room for."""
    return min(max(int(status.st_mtime), 0), 2**32 - 1)


def _device(number: int) -> int:
    minor = os.minor(number)
    return (minor & 0xFF) | os.major(number) << 8 | (minor & ~0xFF) << 12
