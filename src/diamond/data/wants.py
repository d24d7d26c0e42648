"""What the goal of a transfer lacks: whole files, parts of files, and digests of blocks. Compact, and checked when read."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field
from typing import List, Sequence, Tuple

from diamond.core.errors import BadRequest
from diamond.data.manifest import FileEntry

BLOCK = 4 << 20
LARGE = 2 * BLOCK
"""Files of at least so many bytes are compared block by block."""
_ROW = struct.Struct("<BIQQ")
_WHOLE, _RANGE, _DIGESTS = 0, 1, 2
_HEAD = b"DW1\n"
MOST_ROWS = 4_000_000


@dataclass
class Wants:
    """Positions count the files of the manifest from 0."""

    whole: List[Tuple[int, int]] = field(default_factory=list)
    """First file and how many."""
    ranges: List[Tuple[int, int, int]] = field(default_factory=list)
    """File, offset, length."""
    digests: List[int] = field(default_factory=list)
    """Files whose blocks are to be compared first."""

    def want_file(self, position: int) -> None:
        """Files in order become one run."""
        if self.whole and sum(self.whole[-1]) == position:
            first, count = self.whole[-1]
            self.whole[-1] = (first, count + 1)
        else:
            self.whole.append((position, 1))

    @property
    def is_empty(self) -> bool:
        return not (self.whole or self.ranges or self.digests)


def encode_wants(wants: Wants) -> bytes:
    rows = [_ROW.pack(_WHOLE, first, count, 0) for first, count in wants.whole]
    rows += [_ROW.pack(_RANGE, file, offset, length) for file, offset, length in wants.ranges]
    rows += [_ROW.pack(_DIGESTS, file, 0, 0) for file in wants.digests]
    return _HEAD + zlib.compress(b"".join(rows), 1)


def decode_wants(data: bytes, files: Sequence[FileEntry]) -> Wants:
    """Raises `BadRequest` for what does not fit the files of the tree."""
    if not data.startswith(_HEAD):
        raise BadRequest("What the goal wants is in an unknown form", "Upgrade both agents.")
    unpacking = zlib.decompressobj()
    try:
        rows = unpacking.decompress(data[len(_HEAD) :], MOST_ROWS * _ROW.size)
    except zlib.error:
        raise BadRequest("What the goal wants cannot be unpacked") from None
    if not unpacking.eof or len(rows) % _ROW.size:
        raise BadRequest(f"What the goal wants has more than {MOST_ROWS} parts, or is cut off")
    wants = Wants()
    for kind, file, first, second in _ROW.iter_unpack(rows):
        _take(wants, files, kind, (file, first, second))
    return wants


def _take(wants: Wants, files: Sequence[FileEntry], kind: int, row: Tuple[int, int, int]) -> None:
    file, first, second = row
    if kind == _WHOLE and first > 0 and file + first <= len(files):
        wants.whole.append((file, first))
    elif kind == _RANGE and file < len(files) and 0 < second <= files[file].size - first:
        wants.ranges.append(row)
    elif kind == _DIGESTS and file < len(files):
        wants.digests.append(file)
    else:
        raise BadRequest("What the goal wants is not part of the tree")
