"""The staging memory has the layout of the file: saving is one copy into it and one write out of it.

Each tensor is in the envelope that `torch.save` would put around it, so that any `dcp.load` can read the file.
The envelopes do not depend on the values and are written once.
"""

from __future__ import annotations

import io
import os
import zipfile
from dataclasses import dataclass
from typing import Any, BinaryIO, List, Sequence

import torch

from diamond.training.checkpoints.memory import SharedMemory

_ALIGNMENT = 64
_HOLE_BYTES = 4096


@dataclass(frozen=True)
class TensorPlace:
    """Where one tensor is in the file, with and without its envelope."""

    item: Any
    """DCP's WriteItem."""
    offset: int
    length: int
    data_offset: int
    data_length: int


def lay_out(items: Sequence[Any], memory: SharedMemory) -> List[TensorPlace]:
    """Write the envelopes of all items and map the memory."""
    with os.fdopen(os.dup(memory.descriptor), "r+b", buffering=0) as file:
        places = [_place(item, file) for item in items]
    memory.map(places[-1].offset + places[-1].length if places else 0)
    return places


def view(memory: SharedMemory, place: TensorPlace) -> torch.Tensor:
    """The tensor inside the memory: what is copied into it ends up in the file."""
    data = place.item.tensor_data
    raw = memory.tensor[place.data_offset : place.data_offset + place.data_length]
    shaped: torch.Tensor = raw.view(data.properties.dtype).view(data.chunk.sizes)
    return shaped


def _place(item: Any, file: BinaryIO) -> TensorPlace:
    data = item.tensor_data
    example = torch.empty(data.chunk.sizes, dtype=data.properties.dtype)
    start = -(-file.seek(0, io.SEEK_END) // _ALIGNMENT) * _ALIGNMENT
    file.seek(start)
    stream = _SkipsData(file)
    torch.save(example, stream)
    end = file.tell()
    file.truncate(end)
    return TensorPlace(item, start, end - start, _data_offset(file), example.nbytes)


class _SkipsData(io.RawIOBase):
    """Leaves a gap for the values."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def writable(self) -> bool:
        return True

    def write(self, piece: Any) -> int:
        length = len(piece)
        if length >= _HOLE_BYTES:
            self._file.seek(length, io.SEEK_CUR)
        else:
            self._file.write(piece)
        return length


def _data_offset(file: BinaryIO) -> int:
    """Where the values start in the archive at the end of the file."""
    with zipfile.ZipFile(file) as archive:
        members = [member for member in archive.infolist() if member.filename.endswith("/data/0")]
    if not members:
        return 0
    file.seek(members[0].header_offset + 26)
    lengths = file.read(4)
    skipped = int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little")
    return members[0].header_offset + 30 + skipped
