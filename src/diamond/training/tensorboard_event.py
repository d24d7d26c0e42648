"""The few protobuf fields of a TensorBoard event that contain scalars, so that no protobuf library is needed.

Field numbers come from event.proto, summary.proto and tensor.proto in TensorFlow; they never change.
"""

from __future__ import annotations

import math
import struct
from typing import Any, Dict, Iterator, List, Optional, Tuple, Union

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_RESERVED = ("step", "time", "rank", "nonfinite")

Field = Tuple[int, Union[int, bytes]]


class BadRecord(ValueError):
    """Not the bytes of a protobuf message."""


def event_line(record: bytes) -> Optional[Dict[str, Any]]:
    """An event as a line of metrics.jsonl; None if it contains no scalar."""
    line: Dict[str, Any] = {"step": 0, "time": 0.0}
    scalars: List[Tuple[str, float]] = []
    for number, value in fields(record):
        if number == 1 and isinstance(value, bytes):
            line["time"] = _double(value)
        elif number == 2 and isinstance(value, int):
            line["step"] = signed(value)
        elif number == 5 and isinstance(value, bytes):
            scalars.extend(_summary_scalars(value))
    for tag, scalar in scalars:
        add_value(line, tag, scalar)
    return line if scalars else None


def fields(message: bytes) -> Iterator[Field]:
    """Each field's number and its value: an int, or raw bytes (also for fixed-width numbers)."""
    position = 0
    while position < len(message):
        key, position = _varint(message, position)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            integer, position = _varint(message, position)
            yield number, integer
            continue
        length, position = _length(message, position, kind)
        if position + length > len(message):
            raise BadRecord("truncated")
        yield number, message[position : position + length]
        position += length


def _summary_scalars(summary: bytes) -> Iterator[Tuple[str, float]]:
    for number, value in fields(summary):
        if number == 1 and isinstance(value, bytes):
            tag, scalar = _tagged_value(value)
            if tag and scalar is not None:
                yield tag, scalar


def _tagged_value(message: bytes) -> Tuple[str, Optional[float]]:
    tag, scalar = "", None
    for number, value in fields(message):
        if not isinstance(value, bytes):
            continue
        if number == 1:
            tag = value.decode("utf-8", "replace")
        elif number == 2:
            scalar = _float(value)
        elif number == 8:
            scalar = _tensor_scalar(value)
    return tag, scalar


def _tensor_scalar(tensor: bytes) -> Optional[float]:
    """The value of a tensor with one element, float or double; None for any other."""
    kind, values = 0, []
    for number, value in fields(tensor):
        if number == 1 and isinstance(value, int):
            kind = value
        elif number in (4, 5, 6) and isinstance(value, bytes):
            values.append(value)
    width = {1: 4, 2: 8}.get(kind)
    content = b"".join(values)
    if width is None or len(content) != width:
        return None
    return _float(content) if width == 4 else _double(content)


def add_value(line: Dict[str, Any], tag: str, scalar: float) -> None:
    """Put a value into a line of metrics.jsonl, which has its own way to say that it is not finite."""
    name = f"{tag}_" if tag in _RESERVED else tag
    if math.isfinite(scalar):
        line[name] = scalar
    else:
        line[name] = None
        line.setdefault("nonfinite", []).append(name)


def _varint(message: bytes, position: int) -> Tuple[int, int]:
    result = 0
    for shift in range(0, 70, 7):
        if position >= len(message):
            raise BadRecord("truncated")
        byte = message[position]
        position += 1
        result |= (byte & 0x7F) << shift
        if not byte & 0x80:
            return result, position
    raise BadRecord("an endless number")


def _length(message: bytes, position: int, kind: int) -> Tuple[int, int]:
    if kind == _BYTES:
        return _varint(message, position)
    if kind in (_FIXED32, _FIXED64):
        return (4 if kind == _FIXED32 else 8), position
    raise BadRecord(f"wire type {kind}")


def signed(value: int) -> int:
    return value - 2**64 if value >= 2**63 else value


def _float(content: bytes) -> float:
    if len(content) != 4:
        raise BadRecord("not a float")
    return float(struct.unpack("<f", content)[0])


def _double(content: bytes) -> float:
    if len(content) != 8:
        raise BadRecord("not a double")
    return float(struct.unpack("<d", content)[0])
