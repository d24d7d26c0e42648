"""The pack stream: pieces that carry many small files, or parts of large ones. Each piece stands for itself.

A piece is a head, a row of frames, and their bytes. Holes of sparse files are sent as a frame without bytes.
"""

from __future__ import annotations

import errno
import hashlib
import os
import struct
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from diamond.core.errors import BadRequest, DataChanged
from diamond.data.manifest import FileEntry
from diamond.data.wants import BLOCK, Wants

_HEAD = struct.Struct("<4sI")
_FRAME = struct.Struct("<IBQQ")
_MAGIC = b"DPK1"
BYTES, ZEROS, DIGESTS, END = 0, 1, 2, 3
MOST_FRAMES = 16384


class Frame(NamedTuple):
    file: int
    kind: int
    offset: int
    length: int

    @property
    def payload(self) -> int:
        """How many bytes it carries."""
        if self.kind == DIGESTS:
            return 32 * -(-self.length // BLOCK)
        return self.length if self.kind == BYTES else 0


Extents = Callable[[int], List[Tuple[int, int]]]
"""The parts of a file that hold data (offset, length); the rest are holes."""


def plan_pieces(
    files: Sequence[FileEntry], wants: Wants, *, piece: int, extents: Extents
) -> Iterator[List[Frame]]:
    """The frames of each piece, the same every time; the last one ends the stream."""
    frames: List[Frame] = []
    size = 0
    for frame in _all_frames(files, wants, piece, extents):
        if frames and (size + frame.payload > piece or len(frames) >= MOST_FRAMES):
            yield frames
            frames, size = [], 0
        frames.append(frame)
        size += frame.payload
    yield [*frames, Frame(0, END, 0, 0)]


def _all_frames(
    files: Sequence[FileEntry], wants: Wants, piece: int, extents: Extents
) -> Iterator[Frame]:
    for position in wants.digests:
        yield Frame(position, DIGESTS, 0, files[position].size)
    for first, count in wants.whole:
        for position in range(first, first + count):
            size = files[position].size
            if size <= piece:
                yield Frame(position, BYTES, 0, size)
            else:
                yield from _parts(position, 0, size, piece, extents(position))
    for position, offset, length in wants.ranges:
        yield from _parts(position, offset, length, piece, extents(position))


def _parts(
    position: int, offset: int, length: int, piece: int, extents: List[Tuple[int, int]]
) -> Iterator[Frame]:
    at, end = offset, offset + length
    for start, size in extents:
        start, stop = max(start, at), min(start + size, end)
        if start >= stop:
            continue
        if start > at:
            yield Frame(position, ZEROS, at, start - at)
        for place in range(start, stop, piece):
            yield Frame(position, BYTES, place, min(piece, stop - place))
        at = stop
    if at < end:
        yield Frame(position, ZEROS, at, end - at)


def data_extents(descriptor: int, size: int) -> List[Tuple[int, int]]:
    """Where a file holds data. The whole of it where the file system cannot say."""
    facts = os.fstat(descriptor)
    if facts.st_blocks * 512 >= size:
        return [(0, size)]
    extents, at = [], 0
    try:
        while at < size:
            start = os.lseek(descriptor, at, os.SEEK_DATA)
            at = os.lseek(descriptor, start, os.SEEK_HOLE)
            extents.append((start, at - start))
    except OSError as error:
        if error.errno != errno.ENXIO:  # behind the last data there is only a hole
            return [(0, size)]
    return extents


class Source:
    """The files of a tree where they are, opened one after the other."""

    def __init__(self, root: str, files: Sequence[FileEntry], *, is_file: bool = False) -> None:
        self._root, self._files, self._is_file = root, files, is_file
        self._extents: Dict[int, List[Tuple[int, int]]] = {}
        self._open: Optional[Tuple[int, int]] = None

    def extents(self, position: int) -> List[Tuple[int, int]]:
        if position not in self._extents:
            self._extents[position] = data_extents(
                self._descriptor(position), self._files[position].size
            )
        return self._extents[position]

    def fill(self, frames: Sequence[Frame]) -> List[bytes]:
        """A piece with these frames, in parts. Raises `DataChanged` for a file that is shorter or gone."""
        head = _HEAD.pack(_MAGIC, len(frames))
        row = b"".join(
            _FRAME.pack(frame.file, frame.kind, frame.offset, frame.length) for frame in frames
        )
        return [head + row, *(self._payload(frame) for frame in frames if frame.payload)]

    def close(self) -> None:
        if self._open is not None:
            os.close(self._open[1])
            self._open = None

    def place(self, position: int) -> str:
        return self._root if self._is_file else f"{self._root}/{self._files[position].path}"

    def _payload(self, frame: Frame) -> bytes:
        if frame.kind == DIGESTS:
            return self._digests(frame)
        entry = self._files[frame.file]
        try:
            if frame.length == entry.size:
                content = self._whole(frame)
            else:
                content = os.pread(self._descriptor(frame.file), frame.length, frame.offset)
        except OSError as error:
            raise self._changed(entry, error.strerror or str(error)) from None
        if len(content) != frame.length:
            raise self._changed(entry, "its size is another")
        return content

    def _whole(self, frame: Frame) -> bytes:
        descriptor = os.open(self.place(frame.file), os.O_RDONLY | os.O_CLOEXEC)
        try:
            return os.read(descriptor, frame.length + 1)
        finally:
            os.close(descriptor)

    def _digests(self, frame: Frame) -> bytes:
        descriptor = self._descriptor(frame.file)
        places = range(0, frame.length, BLOCK)
        return b"".join(
            hashlib.sha256(os.pread(descriptor, min(BLOCK, frame.length - at), at)).digest()
            for at in places
        )

    def _descriptor(self, position: int) -> int:
        if self._open is None or self._open[0] != position:
            self.close()
            try:
                descriptor = os.open(self.place(position), os.O_RDONLY | os.O_CLOEXEC)
            except OSError as error:
                raise self._changed(self._files[position], error.strerror or "") from None
            self._open = (position, descriptor)
        return self._open[1]

    def _changed(self, entry: FileEntry, why: str) -> DataChanged:
        return DataChanged(
            f"{entry.path} is not as it was registered: {why}",
            "Register the folder again to make a new version.",
        )


def read_piece(piece: bytes, files: Sequence[FileEntry]) -> Iterator[Tuple[Frame, memoryview]]:
    """Each frame with its bytes. Raises `BadRequest` for what does not fit the tree."""
    view = memoryview(piece)
    if len(piece) < _HEAD.size or _HEAD.unpack_from(piece)[0] != _MAGIC:
        raise BadRequest("A piece of the transfer is in an unknown form", "Upgrade both agents.")
    count = _HEAD.unpack_from(piece)[1]
    at = _HEAD.size + count * _FRAME.size
    if at > len(piece):
        raise BadRequest("A piece of the transfer is cut off")
    for values in _FRAME.iter_unpack(view[_HEAD.size : at]):
        frame = Frame(*values)
        _check(frame, files)
        end = at + frame.payload
        if end > len(piece):
            raise BadRequest("A piece of the transfer is cut off")
        yield frame, view[at:end]
        at = end


def ends_round(piece: bytes) -> bool:
    """Whether it is the last one of its stream."""
    at = _HEAD.size + (_HEAD.unpack_from(piece)[1] - 1) * _FRAME.size if len(piece) > 8 else -1
    return 0 <= at <= len(piece) - _FRAME.size and _FRAME.unpack_from(piece, at)[1] == END


def _check(frame: Frame, files: Sequence[FileEntry]) -> None:
    if frame.kind == END:
        return
    fits = frame.file < len(files) and frame.offset + frame.length <= files[frame.file].size
    if not fits or frame.kind > END:
        raise BadRequest("A piece of the transfer is not part of the tree")
