"""The part of TOML that a policy needs: `name = value` on a line. Python 3.9 has no reader of its own.

Anything else is rejected: a rule that is not understood must not be ignored.
"""

from __future__ import annotations

import json
import re
from typing import Any

from diamond.core.errors import BadRequest

_LINE = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*)\s*=\s*(.+)")


def read_small_toml(text: str) -> dict[str, Any]:
    """Texts in double quotes, numbers, true, false, and lists of these on one line."""
    settings: dict[str, Any] = {}
    for number, line in enumerate(text.splitlines(), 1):
        bare = _without_comment(line).strip()
        if not bare:
            continue
        match = _LINE.fullmatch(bare)
        name = match.group(1) if match else ""
        if match is None or name in settings:
            raise BadRequest(f"line {number} is not understood: {bare[:80]}", _HINT)
        settings[name] = _value(match.group(2).strip(), number)
    return settings


_HINT = 'One setting a line, each once, such as: partitions = ["debug", "short"]'


def _value(text: str, number: int) -> Any:
    """These forms are JSON too, but for a comma that may end a list."""
    try:
        value = json.loads(re.sub(r",\s*\]$", "]", text))
    except ValueError:
        raise BadRequest(f"line {number} is not understood: {text[:80]}", _HINT) from None
    if isinstance(value, dict) or value is None:
        raise BadRequest(f"line {number} is not understood: {text[:80]}", _HINT)
    return value


def _without_comment(line: str) -> str:
    """Up to a # that stands outside of quotes."""
    quoted = escaped = False
    for position, letter in enumerate(line):
        if letter == "#" and not quoted:
            return line[:position]
        if letter == '"' and not escaped:
            quoted = not quoted
        escaped = letter == "\\" and not escaped
    return line
