"""Sizes and durations as people write them: 4GB, 2h, 1-12:00:00, 90m."""

from __future__ import annotations

import re

from diamond.core.errors import BadRequest

_SIZE = re.compile(r"^\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(i?b?)\s*$", re.IGNORECASE)
_PARTS = re.compile(r"(\d+(?:\.\d+)?)\s*(d|h|m|s)", re.IGNORECASE)
_CLOCK = re.compile(r"^(?:(\d+)-)?(\d+):(\d{2})(?::(\d{2}))?$")
_SECONDS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
_POWER = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def parse_megabytes(value: str | int | float) -> int:
    """Memory in MB (2**20 bytes, as batch systems count); a bare number is MB."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _positive(int(value), value)
    match = _SIZE.match(str(value))
    if not match:
        raise BadRequest(
            f"{value!r} is not a size", "Write a number with a unit, such as 512MB or 4GB."
        )
    number, unit = float(match.group(1)), match.group(2).lower()
    if not unit and match.group(3):
        return _positive(int(number / 2**20), value)
    return _positive(int(number * 1024 ** (_POWER[unit or "m"] - 2)), value)


def parse_minutes(value: str | int | float) -> int:
    """A duration in whole minutes, rounded up; a bare number is minutes."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _positive(int(-(-value // 1)), value)
    return _positive(-(-parse_seconds(str(value)) // 60), value)


def parse_seconds(value: str) -> int:
    """A duration in seconds from 90s, 30m, 2h, 1d12h, H:MM[:SS] or D-HH:MM:SS."""
    text = str(value).strip()
    clock = _CLOCK.match(text)
    if clock:
        days, hours, minutes, seconds = (int(part or 0) for part in clock.groups())
        return days * 86400 + hours * 3600 + minutes * 60 + seconds
    if text.isdigit():
        return int(text) * 60
    if not text or _PARTS.sub("", text).strip():
        raise BadRequest(
            f"{value!r} is not a duration", "Write for example 30m, 2h, 1d12h or 12:00:00."
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


def _positive(number: int, value: object) -> int:
    if number <= 0:
        raise BadRequest(f"{value!r} must be more than zero")
    return number
