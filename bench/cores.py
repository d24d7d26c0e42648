"""Run what is measured on one core, and what measures on another."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator


@contextlib.contextmanager
def on_core(number: int) -> Iterator[None]:
    """Pin this thread, and the threads and processes it starts meanwhile; a machine with one core uses that one."""
    before = os.sched_getaffinity(0)
    cores = sorted(before)
    os.sched_setaffinity(0, {cores[number % len(cores)]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
