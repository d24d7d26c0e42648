"""Sizes and durations as people write them: 4GB, 2h, 1-12:00:00, 90m."""

from __future__ import annotations

import math
import re

from diamond.core.errors import BadRequest

_SIZE = re.compile(r"^\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(i?b?)\s*$", re.IGNORECASE)
_PARTS = re.compile(r"(\d+(?:\.\d+)?)\s*(d|h|m|s)", re.IGNORECASE)
_CLOCK = re.compile(r"^(?:(\d+)-)?(\d+):(\d{2})(?::(\d{2}))?$")
_SECONDS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
_LONGEST = 40
_MOST = 10**12
_POWER = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def parse_megabytes(value: str | int | float) -> int:
    """Memory in MB (2**20 bytes, as batch systems count); a bare number is MB."""
    if _is_number(value):
        return _whole(float(value), value)
    match = _SIZE.match(str(value)) if len(str(value)) <= _LONGEST else None
    if not match:
        raise BadRequest(
            f"{_shown(value)} is not a size", "Write a number with a unit, such as 512MB or 4GB."
        )
    number, unit = float(match.group(1)), match.group(2).lower()
    if not unit and match.group(3):
        return _whole(number / 2**20, value)
    return _whole(number * 1024 ** (_POWER[unit or "m"] - 2), value)


def parse_minutes(value: str | int | float) -> int:
    """A duration in whole minutes, rounded up; a bare number is minutes."""
    if _is_number(value):
        return _whole(math.ceil(_finite(float(value), value)), value)
    return _whole(-(-parse_seconds(str(value)) // 60), value)


def parse_seconds(value: str) -> int:
    """A duration in seconds from 90s, 30m, 2h, 1d12h, H:MM[:SS] or D-HH:MM:SS."""
    text = str(value).strip()[: _LONGEST + 1]
    clock = _CLOCK.match(text)
    if clock:
        days, hours, minutes, seconds = (int(part or 0) for part in clock.groups())
        return days * 86400 + hours * 3600 + minutes * 60 + seconds
    if text.isdigit():
        return int(text) * 60
    if not text or len(text) > _LONGEST or _PARTS.sub("", text).strip():
        raise BadRequest(
            f"{_shown(value)} is not a duration", "Write for example 30m, 2h, 1d12h or 12:00:00."
        )
    return int(sum(float(n) * _SECONDS[u.lower()] for n, u in _PARTS.findall(text)))


def show_minutes(minutes: int) -> str:
    """120 -> '2h', 1500 -> '1d1h'."""
    days, rest = divmod(minutes, 1440)
    hours, left = divmod(rest, 60)
    return "".join(f"{n}{u}" for n, u in ((days, "d"), (hours, "h"), (left, "m")) if n) or "0m"


def show_bytes(count: float) -> str:
    """1536 -> '1.5 kB' in powers of 1024."""
    for unit in ("B", "kB", "MB", "GB"):
        if abs(count) < 1024:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} TB"


def _is_number(value: object) -> bool:
    """`true` is a number to Python only."""
    return isinstance(value, float) or (type(value) is int and abs(value) <= _MOST)


def _whole(number: float, value: object) -> int:
    if _finite(number, value) < 1:
        raise BadRequest(f"{_shown(value)} must be more than zero")
    return int(number)


def _finite(number: float, value: object) -> float:
    if math.isnan(number):
        raise BadRequest(f"{_shown(value)} is not a number")
    if number > _MOST:
        raise BadRequest(f"{_shown(value)} is too large: the maximum is {_MOST}")
    return max(number, -1.0)


def _shown(value: object) -> str:
    """Short: a message repeats it."""
    text = repr(value) if not isinstance(value, int) or abs(value) <= _MOST else "This number"
    return text if len(text) <= 2 * _LONGEST else f"{text[:_LONGEST]}…"
