"""Tests wait for conditions, never for time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")
PATIENCE = 90.0
"""Timeout in seconds that is long enough on a slow and busy machine; only a failure takes this long."""


def wait_for(
    look: Callable[[], Result],
    seconds: float = PATIENCE,
    *,
    what: str = "a condition",
    every: float = 0.05,
) -> Result:
    """The first true value of `look`; fails with the last value."""
    deadline = time.monotonic() + seconds
    while True:
        seen = look()
        if seen:
            return seen
        if time.monotonic() > deadline:
            raise AssertionError(f"no {what} within {seconds} s; last seen: {seen!r}")
        time.sleep(every)
