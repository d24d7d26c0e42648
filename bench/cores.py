"""What is measured on one core, what measures on another."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator


@contextlib.contextmanager
def on_core(number: int) -> Iterator[None]:
    """This thread, and the threads and processes that it starts meanwhile; on a machine with one core, that."""
    before = os.sched_getaffinity(0)
    cores = sorted(before)
    os.sched_setaffinity(0, {cores[number % len(cores)]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
