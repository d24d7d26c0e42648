"""Reads the values that a script logged with W&B from its local file, `run-<id>.wandb`, as `WANDB_MODE=offline` writes it.

After a head of 7 bytes the file is a log as LevelDB's: blocks of 32 KiB, and in them fragments, each with a checksum (4 bytes),
a length (2) and a kind (1). The whole records are `Record` messages of wandb_internal.proto, whose field numbers never change.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from pathlib import Path
from typing import Any, BinaryIO, Dict, Iterator, List, NamedTuple, Optional, Tuple

from diamond.training.tensorboard_event import BadRecord, add_value, fields, signed

MAX_BYTES = 16 * 2**20
"""Read at most this much per call; the next call continues."""
MAX_RECORD = 2**20
"""Longer records hold no row of numbers."""
BLOCK = 32768
HEAD = b":W&B"
HEAD_BYTES = 7

_FRAGMENT = struct.Struct("<IHB")
_WHOLE, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4
_HISTORY = 2
_INTEGER, _NUMBER, _VALUE_JSON = 5, 6, 16


class Part(NamedTuple):
    """A record or a fragment of one: its bytes, and where it ends in the file."""

    content: bytes
    end: int
    kind: int = _WHOLE


def read_wandb(path: Path, offset: int) -> Tuple[List[Dict[str, Any]], int]:
    """The rows after `offset`, as lines of metrics.jsonl, and the offset to continue from.

    An incomplete record is left for the next call; a damaged block is skipped.
    """
    lines: List[Dict[str, Any]] = []
    with path.open("rb") as source:
        size = os.fstat(source.fileno()).st_size
        if offset == 0:
            if source.read(HEAD_BYTES)[: len(HEAD)] != HEAD:
                return [], 0
            offset = HEAD_BYTES
        limit = min(size, offset + MAX_BYTES)
        while offset < limit:
            record = _next_record(source, offset, size)
            if record is None:
                break
            offset = record.end
            lines.extend(_lines(record.content))
    return lines, offset


def read_records(path: Path) -> Iterator[bytes]:
    """Every whole record of the file; rows of numbers are among them."""
    with path.open("rb") as source:
        size = os.fstat(source.fileno()).st_size
        offset = HEAD_BYTES if source.read(HEAD_BYTES)[: len(HEAD)] == HEAD else size
        while offset < size:
            record = _next_record(source, offset, size)
            if record is None:
                return
            offset = record.end
            if record.content:
                yield record.content


def _next_record(source: BinaryIO, offset: int, size: int) -> Optional[Part]:
    """None while it is not whole; without bytes if there is nothing of use in it."""
    parts: List[bytes] = []
    length = 0
    while True:
        part = _next_fragment(source, offset, size)
        if part is None:
            return None
        offset = part.end
        if part.kind in (_WHOLE, _FIRST):
            parts, length = [], 0
        elif part.kind not in (_MIDDLE, _LAST) or not length:
            return Part(b"", offset)  # damaged, or the rest of a record whose beginning was
        length += len(part.content)
        if length <= MAX_RECORD:
            parts.append(part.content)
        if part.kind in (_WHOLE, _LAST):
            return Part(b"".join(parts) if length <= MAX_RECORD else b"", offset)


def _next_fragment(source: BinaryIO, offset: int, size: int) -> Optional[Part]:
    """None at the end of what was written so far."""
    block_end = (offset // BLOCK + 1) * BLOCK
    if block_end - offset < _FRAGMENT.size:
        offset, block_end = block_end, block_end + BLOCK
    if offset + _FRAGMENT.size > size:
        return None
    source.seek(offset)
    checksum, length, kind = _FRAGMENT.unpack(source.read(_FRAGMENT.size))
    content = source.read(length)
    end = offset + _FRAGMENT.size + length
    if end <= min(size, block_end) and checksum == zlib.crc32(content, zlib.crc32(bytes([kind]))):
        return Part(content, end, kind)
    return Part(b"", block_end, 0) if block_end <= size else None


def _lines(record: bytes) -> List[Dict[str, Any]]:
    """At most one: of a row of the history."""
    try:
        for number, value in fields(record):
            if number == _HISTORY and isinstance(value, bytes):
                line = _row(value)
                return [line] if len(line) > 2 else []
    except BadRecord:
        pass
    return []


def _row(history: bytes) -> Dict[str, Any]:
    """Numbers alone: pictures, tables and histograms are groups of values with a `_type`."""
    line: Dict[str, Any] = {"step": 0, "time": 0.0}
    items: List[Tuple[List[str], Any]] = []
    for number, value in fields(history):
        if number == 1 and isinstance(value, bytes):
            items.append(_item(value))
        elif number == 2 and isinstance(value, bytes):
            line["step"] = _step(value)
    media = {names[0] for names, _ in items if len(names) > 1 and names[-1] == "_type"}
    for names, value in items:
        if names == ["_timestamp"] and _is_number(value):
            line["time"] = float(value)
        elif names[0] not in media and not names[0].startswith("_") and _is_number(value):
            add_value(line, ".".join(names), float(value))
    return line


def _item(message: bytes) -> Tuple[List[str], Any]:
    """The names that lead to a value (several for a nested one), and the value; None where it is neither number nor text."""
    key, nested, value = "", [], None
    for number, content in fields(message):
        if number == _INTEGER and isinstance(content, int):
            value = (content >> 1) ^ -(content & 1)
        elif not isinstance(content, bytes):
            continue
        elif number == 1:
            key = content.decode("utf-8", "replace")
        elif number == 2:
            nested.append(content.decode("utf-8", "replace"))
        elif number == _NUMBER and len(content) == 8:
            value = struct.unpack("<d", content)[0]
        elif number == _VALUE_JSON:
            value = _json(content)
    return nested or [key], value


def _step(message: bytes) -> int:
    for number, value in fields(message):
        if number == 1 and isinstance(value, int):
            return signed(value)
    return 0


def _json(content: bytes) -> Any:
    """Numbers and short texts; W&B writes `NaN` and `Infinity` too, as Python reads them."""
    try:
        return json.loads(content) if len(content) < 100 else None
    except ValueError:
        return None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
