"""An image packed from its layers: each is compressed once, and its blocks are taken into every image that has it.

Names, rights and times come from the merged overlay, which is mounted when this runs; only the bytes of files come
from the packed layers. What was overwritten or removed by a later layer is left out.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO, Dict, Iterable, List, Sequence, Tuple

from diamond.runtimes.squash_tables import Node, Tables, whole_seconds
from diamond.runtimes.squashfs import (
    BLOCK,
    CHARACTER,
    FIFO,
    FILE,
    FOLDER,
    LINK,
    SOCKET,
    SUPERBLOCK_BYTES,
    Content,
    Packed,
)

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


class Unmergeable(Exception):
    """The layers do not tell all that is in the merged tree: it must be packed as a whole."""


def write_merged(tree: Path, layers: Sequence[Packed], target: Path) -> None:
    """Pack `tree`, an overlay of these layers (uppermost first), into `target`. Raises `Unmergeable`."""
    if len({(layer.block_size, layer.compressor, layer.options) for layer in layers}) != 1:
        raise Unmergeable("the layers are compressed in different ways")
    walk = _Walk(layers)
    root = walk.folder(os.fsencode(tree), b"")
    with target.open("wb") as sink:
        sink.write(bytes(SUPERBLOCK_BYTES) + layers[0].options)
        _copy_contents(walk.files, layers, sink)
        Tables(layers[0], walk.count).write(root, sink)


class _Walk:
    """Reads the merged tree, and finds in which layer the bytes of each file are."""

    def __init__(self, layers: Sequence[Packed]) -> None:
        self._layers = layers
        self._linked: Dict[Tuple[int, int], Node] = {}
        self.count = 0
        self.files: List[Tuple[int, Node]] = []
        """Regular files with bytes, and the number of their layer."""

    def folder(self, place: bytes, path: bytes) -> Node:
        node = self._node(os.lstat(place), place)
        with os.scandir(place) as entries:
            names = sorted(entry.name for entry in entries)
        for name in names:
            below = path + b"/" + name if path else name
            node.children.append((name, self._child(place + b"/" + name, below)))
        return node

    def _child(self, place: bytes, path: bytes) -> Node:
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

    def _node(self, status: os.stat_result, place: bytes) -> Node:
        names = os.listxattr(place, follow_symlinks=False)
        if any(name.startswith(_KEPT_ATTRIBUTES) for name in names):
            raise Unmergeable(f"{os.fsdecode(place)} has extended attributes")
        self.count += 1
        return Node(status, _KINDS[stat.S_IFMT(status.st_mode)], self.count)

    def _find(self, node: Node, path: bytes) -> None:
        """In the uppermost layer that has it: that is what the overlay shows."""
        having = (n for n, layer in enumerate(self._layers) if path in layer.contents)
        number = next(having, None)
        if number is None:
            raise Unmergeable(f"{os.fsdecode(path)} is in no layer")
        content = self._layers[number].contents[path]
        if (content.size, content.mtime) != (node.status.st_size, whole_seconds(node.status)):
            raise Unmergeable(f"{os.fsdecode(path)} is not as its layer has it")
        node.content = content
        self.files.append((number, node))


def _copy_contents(
    files: Iterable[Tuple[int, Node]], layers: Sequence[Packed], sink: BinaryIO
) -> None:
    """Layer by layer in the order of the bytes, neighbours at once; equal files share their bytes as in the layer."""
    by_layer: Dict[int, List[Node]] = {}
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
