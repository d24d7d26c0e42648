"""An image packed from its layers: each is compressed once, and its blocks are taken into every image that has it.

Names, rights and times come from the merged overlay, which is mounted when this runs; only the bytes of files come
from the packed layers. What was overwritten or removed by a later layer is left out.
"""

from __future__ import annotations

import os
import stat
import struct
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Dict, Iterable, List, Sequence, Tuple

from diamond.runtimes.squashfs import (
    ABSENT,
    BLOCK,
    CHARACTER,
    COMMON,
    ENTRY,
    FIFO,
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
    SOCKET,
    UNCOMPRESSED_INODES,
    Content,
    Packed,
    Superblock,
)

_NO_XATTR = 0xFFFFFFFF
_HEAD_BYTES = 96
_PAGE = 4096
_RUN_LENGTH = 256
_KINDS = {
    stat.S_IFDIR: FOLDER,
    stat.S_IFREG: FILE,
    stat.S_IFLNK: LINK,
    stat.S_IFBLK: BLOCK,
    stat.S_IFCHR: CHARACTER,
    stat.S_IFIFO: FIFO,
    stat.S_IFSOCK: SOCKET,
}


_KEPT_ATTRIBUTES = ("user.", "security.capability")
"""The rest belongs to the host's file system: SELinux labels, Lustre's stripes, lists of rights."""
_NOTHING = Content(0, 0, 0, b"", 0)


class Unmergeable(Exception):
    """The layers do not tell all that is in the merged tree: it must be packed as a whole."""


@dataclass
class _Node:
    """One thing in the tree; hard links share it."""

    status: os.stat_result
    kind: int
    number: int
    links: int = 1
    target: bytes = b""
    """Of a symbolic link."""
    content: Content = _NOTHING
    """With its start in the new file."""
    children: List[Tuple[bytes, _Node]] = field(default_factory=list)
    place: int = 0
    """Of its inode in the table, without headers."""


def write_merged(tree: Path, layers: Sequence[Packed], target: Path) -> None:
    """Pack `tree`, an overlay of these layers (uppermost first), into `target`. Raises `Unmergeable`."""
    if len({(one.block_size, one.compressor, one.options) for one in layers}) != 1:
        raise Unmergeable("the layers are compressed in different ways")
    found = _Walk(layers)
    root = found.folder(os.fsencode(tree), b"")
    with target.open("wb") as sink:
        sink.write(bytes(_HEAD_BYTES) + layers[0].options)
        _copy_contents(found.files, layers, sink)
        _Tables(layers[0], found.count).write(root, sink)


class _Walk:
    """Reads the merged tree, and finds in which layer the bytes of each file lie."""

    def __init__(self, layers: Sequence[Packed]) -> None:
        self._layers = layers
        self._linked: Dict[Tuple[int, int], _Node] = {}
        self.count = 0
        self.files: List[Tuple[int, _Node]] = []
        """Regular files with bytes, and the number of their layer."""

    def folder(self, place: bytes, path: bytes) -> _Node:
        node = self._node(os.lstat(place), place)
        with os.scandir(place) as entries:
            names = sorted(one.name for one in entries)
        for name in names:
            below = path + b"/" + name if path else name
            node.children.append((name, self._child(place + b"/" + name, below)))
        return node

    def _child(self, place: bytes, path: bytes) -> _Node:
        status = os.lstat(place)
        if stat.S_ISDIR(status.st_mode):
            return self.folder(place, path)
        key = (status.st_dev, status.st_ino)
        known = self._linked.get(key) if status.st_nlink > 1 else None
        if known:
            known.links += 1
            return known
        node = self._node(status, place)
        self._linked[key] = node
        if node.kind == LINK:
            node.target = os.readlink(place)  # noqa: PTH115 -- names are bytes here
        if node.kind == FILE:
            self._find(node, path)
        return node

    def _node(self, status: os.stat_result, place: bytes) -> _Node:
        names = os.listxattr(place, follow_symlinks=False)
        if any(name.startswith(_KEPT_ATTRIBUTES) for name in names):
            raise Unmergeable(f"{os.fsdecode(place)} has extended attributes")
        self.count += 1
        return _Node(status, _KINDS[stat.S_IFMT(status.st_mode)], self.count)

    def _find(self, node: _Node, path: bytes) -> None:
        """In the uppermost layer that has it: that is what the overlay shows."""
        having = (n for n, layer in enumerate(self._layers) if path in layer.contents)
        number = next(having, None)
        if number is None:
            raise Unmergeable(f"{os.fsdecode(path)} is in no layer")
        content = self._layers[number].contents[path]
        if (content.size, content.mtime) != (node.status.st_size, _seconds(node.status)):
            raise Unmergeable(f"{os.fsdecode(path)} is not as its layer has it")
        node.content = content
        self.files.append((number, node))


def _copy_contents(
    files: Iterable[Tuple[int, _Node]], layers: Sequence[Packed], sink: BinaryIO
) -> None:
    """Layer by layer in the order of the bytes, neighbours at once; equal files share their bytes as in the layer."""
    by_layer: Dict[int, List[_Node]] = {}
    for number, node in files:
        by_layer.setdefault(number, []).append(node)
    for number, nodes in sorted(by_layer.items(), reverse=True):
        starts = {node.content.start: node.content.stored for node in nodes}
        with layers[number].file.open("rb") as source:
            moved = _copy_runs(starts, source, sink)
        for node in nodes:
            old = node.content
            start = moved[old.start] if old.blocks else 0
            node.content = Content(start, old.size, old.sparse, old.blocks, old.mtime)


def _copy_runs(starts: Dict[int, int], source: BinaryIO, sink: BinaryIO) -> Dict[int, int]:
    """Copy these pieces (start and length); returns where each has gone."""
    moved: Dict[int, int] = {}
    at, begin, end = sink.tell(), 0, 0
    for start, length in sorted(starts.items()):
        if start != end:
            at = _copy(source, sink, begin, end, at)
            begin = end = start
        moved[start] = at + start - begin
        end = start + length
    sink.seek(_copy(source, sink, begin, end, at))
    return moved


def _copy(source: BinaryIO, sink: BinaryIO, begin: int, end: int, at: int) -> int:
    """By the kernel, without the bytes passing through here; returns where the copy ends."""
    sink.flush()
    while begin < end:
        sink.seek(at)
        sent = os.sendfile(sink.fileno(), source.fileno(), begin, end - begin)
        if not sent:
            raise Unmergeable("a packed layer is cut off")
        begin, at = begin + sent, at + sent
    return at


class _Tables:
    """Inodes, folders and ids behind the data; nothing of it compressed, so that it can be read again."""

    def __init__(self, like: Packed, count: int) -> None:
        self._like, self._count = like, count
        self._inodes, self._folders = bytearray(), bytearray()
        self._ids: Dict[int, int] = {}
        self._written: Dict[int, int] = {}

    def write(self, root: _Node, sink: BinaryIO) -> None:
        self._folder(root, self._count + 1)
        inode_table = sink.tell()
        sink.write(_blocks(self._inodes))
        folder_table = sink.tell()
        sink.write(_blocks(self._folders))
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
        self, root: _Node, used: int, id_table: int, inodes: int, folders: int, ids: int
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

    def _folder(self, node: _Node, parent: int) -> None:
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

    def _add(self, node: _Node, kind: int, body: bytes) -> None:
        node.place = len(self._inodes)
        status = node.status
        rights = stat.S_IMODE(status.st_mode)
        owner, group = self._id(status.st_uid), self._id(status.st_gid)
        self._inodes += COMMON.pack(kind, rights, owner, group, _seconds(status), node.number)
        self._inodes += body

    def _id(self, number: int) -> int:
        return self._ids.setdefault(number, len(self._ids))


def _body(node: _Node) -> Tuple[int, bytes]:
    """The kind of inode and what stands behind the common part."""
    if node.kind == FILE:
        return _file_body(node)
    if node.kind == LINK:
        return LINK, struct.pack("<II", node.links, len(node.target)) + node.target
    if node.kind in (BLOCK, CHARACTER):
        return node.kind, struct.pack("<II", node.links, _device(node.status.st_rdev))
    return node.kind, struct.pack("<I", node.links)


def _file_body(node: _Node) -> Tuple[int, bytes]:
    content = node.content
    is_short = node.links == 1 and not content.sparse
    if is_short and content.start < 2**32 and content.size < 2**32:
        head = SHORT_FILE_BODY.pack(content.start, NO_FRAGMENT, 0, content.size)
        return FILE, head + content.blocks
    where = (content.start, content.size, content.sparse)
    return LONG_FILE, LONG_FILE_BODY.pack(
        *where, node.links, NO_FRAGMENT, 0, _NO_XATTR
    ) + content.blocks


def _listing(children: Sequence[Tuple[bytes, _Node]]) -> bytes:
    """In runs of entries whose inodes lie in one block, with numbers near that of the first."""
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


def _folders_in(node: _Node) -> int:
    return sum(child.kind == FOLDER for _, child in node.children)


def _seconds(status: os.stat_result) -> int:
    """As squashfs has room for."""
    return min(max(int(status.st_mtime), 0), 2**32 - 1)


def _device(number: int) -> int:
    minor = os.minor(number)
    return (minor & 0xFF) | os.major(number) << 8 | (minor & ~0xFF) << 12
