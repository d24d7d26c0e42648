"""Values of files as short lines: printable, and never longer than a cell."""

from __future__ import annotations

import re
from typing import Any

from diamond.core.previews import LONGEST_CELL, LONGEST_PATH, LONGEST_TEXT

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_NOT_TEXT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def cell(value: Any) -> str:
    if isinstance(value, float):
        value = f"{value:.6g}"
    text = value if isinstance(value, str) else str(value)[: 4 * LONGEST_CELL]
    return _cut(_UNPRINTABLE.sub("\ufffd", text[: 4 * LONGEST_CELL]), LONGEST_CELL)


def shown_path(path: str) -> str:
    return _cut(_UNPRINTABLE.sub("\ufffd", path), LONGEST_PATH)


def shown_text(text: str) -> str:
    return _cut(_NOT_TEXT.sub("\ufffd", text.replace("\r\n", "\n")), LONGEST_TEXT)


def note(text: str) -> str:
    return _cut(_UNPRINTABLE.sub(" ", text), 300)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
