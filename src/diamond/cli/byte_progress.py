"""Progress of bytes on a terminal: how much, how fast, how long it still takes."""

from __future__ import annotations

import sys
import time

from diamond.cli.format import duration
from diamond.core.units import show_bytes

EVERY_SECONDS = 0.2


class ByteProgress:
    """Call it with what is done and the whole size. Silent when nobody reads along."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._is_shown = not quiet and sys.stderr.isatty()
        self._began = time.monotonic()
        self._shown_at = 0.0

    def __call__(self, done: int, size: int) -> None:
        now = time.monotonic()
        if not self._is_shown or now - self._shown_at < EVERY_SECONDS:
            return
        self._shown_at = now
        rate = done / max(now - self._began, 0.1)
        left = f", {duration((size - done) / rate)} left" if rate and done < size else ""
        percent = f"{100 * done // max(size, 1)} %"
        text = (
            f"{show_bytes(done)} of {show_bytes(size)}, {percent}, {show_bytes(int(rate))}/s{left}"
        )
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self._is_shown and self._shown_at:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
