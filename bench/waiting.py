"""Wait for conditions."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def wait_for(ready: Callable[[], T], *, within: float = 60, every: float = 0.02) -> T:
    """Return the result of `ready` as soon as it is true."""
    end = time.monotonic() + within
    while not (found := ready()):
        if time.monotonic() > end:
            raise TimeoutError(f"bench: waited {within:.0f} s for {ready.__qualname__}")
        time.sleep(every)
    return found
