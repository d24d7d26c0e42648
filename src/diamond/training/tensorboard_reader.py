"""Reads scalars from TensorBoard event files, as TensorFlow, PyTorch and tensorboardX write them.

A file is a row of records: length (8 bytes), its checksum (4), an `Event` in protobuf, its checksum (4).
"""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import Any, BinaryIO, Dict, List, Optional, Tuple

from diamond.training.tensorboard_event import BadRecord, event_line

MAX_BYTES = 16 * 2**20
"""Read at most this much per call; the next call continues."""
MAX_RECORD = 2**20
"""Longer records contain images or graphs, never scalars."""

_HEADER = struct.Struct("<QI")
_POLYNOMIAL = 0x82F63B78


def read_scalars(path: Path, offset: int) -> Tuple[List[Dict[str, Any]], int]:
    """The scalars after `offset`, as lines of metrics.jsonl, and the offset to continue from.

    An incomplete record is left for the next call; an invalid one is skipped.
    """
    lines: List[Dict[str, Any]] = []
    limit = offset + MAX_BYTES
    with path.open("rb") as source:
        source.seek(offset)
        while offset < limit:
            record = _next_record(source)
            if record is None:
                break
            offset = source.tell()
            lines.extend(_lines(record))
    return lines, offset


def _next_record(source: BinaryIO) -> Optional[bytes]:
    """One record's body, or None at the end of what can be read (the length's checksum must be right)."""
    header = source.read(_HEADER.size)
    if len(header) < _HEADER.size:
        return None
    length, checksum = _HEADER.unpack(header)
    if masked_checksum(header[:8]) != checksum or not _has(source, length + 4):
        return None
    if length > MAX_RECORD:
        source.seek(length + 4, os.SEEK_CUR)
        return b""
    return source.read(length + 4)[:-4]


def _has(source: BinaryIO, count: int) -> bool:
    return os.fstat(source.fileno()).st_size - source.tell() >= count


def _lines(record: bytes) -> List[Dict[str, Any]]:
    try:
        line = event_line(record)
    except BadRecord:
        return []
    return [line] if line else []


def masked_checksum(content: bytes) -> int:
    """CRC-32C, masked as in TensorFlow's record files."""
    crc = 0xFFFFFFFF
    for byte in content:
        crc = _TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    crc ^= 0xFFFFFFFF
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def _table_entry(value: int) -> int:
    for _ in range(8):
        value = (value >> 1) ^ (_POLYNOMIAL if value & 1 else 0)
    return value


_TABLE = [_table_entry(value) for value in range(256)]
