"""Specs and scripts that the claims share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

PARTITION = "batch"


def spec(words: Sequence[str], *, name: str = "bench", on: str = "cluster") -> dict[str, Any]:
    """One core, one hour, no code."""
    return {
        "name": name,
        "run": [str(word) for word in words],
        "on": on,
        "resources": {"walltime": "1h"},
        **({"partition": PARTITION} if on != "local" else {}),
    }
