"""Text from machines, made fit for both databases."""

from __future__ import annotations

import math
from typing import Any


def clean(value: Any) -> Any:
    """Without NULs, half characters and infinite numbers, which PostgreSQL rejects; a bad byte must not stop an agent's events."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, str):
        return value.replace("\x00", "").encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [clean(item) for item in value]
    if isinstance(value, dict):
        return {clean(key): clean(item) for key, item in value.items()}
    return value


def csv_cell(text: str) -> str:
    """A spreadsheet would take a text that begins so for a formula, and run it."""
    return f"'{text}" if text.lstrip()[:1] in ("=", "+", "-", "@") and text.strip() else text
