"""Wait for conditions, so that no test sleeps for a guessed time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def wait_until(
    condition: Callable[[], T | None], *, seconds: float = 90.0, every: float = 0.05, what: str = ""
) -> T:
    """The first true value of `condition`; an AssertionError when it stays false."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"did not happen within {seconds:.0f} s: {what or condition}")
        time.sleep(every)
