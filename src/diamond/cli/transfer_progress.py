"""How far a transfer is: bytes, percent and time left, on one line of a terminal or a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

from diamond.cli.format import duration
from diamond.cli.output import say
from diamond.core.units import show_bytes

LINE_SECONDS = 10.0
"""Between two lines where nothing can be redrawn (a file, a batch log)."""


class TransferProgress:
    """Gets the state of a transfer repeatedly (`Client.wait_for_move`)."""

    def __init__(self, *, quiet: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        self._quiet, self._clock = quiet, clock
        self._is_terminal = sys.stderr.isatty()
        self._first: tuple[float, int] | None = None
        self._said_at = clock()
        self._drawn = False

    def __call__(self, move: Mapping[str, Any]) -> None:
        if self._quiet:
            return
        if move["state"] not in ("waiting", "running"):
            self._clear()
            return
        now = self._clock()
        if self._is_terminal:
            self._clear()
            sys.stderr.write(self.line(move))
            sys.stderr.flush()
            self._drawn = True
        elif now - self._said_at >= LINE_SECONDS:
            self._said_at = now
            say(self.line(move))

    def line(self, move: Mapping[str, Any]) -> str:
        have, size = int(move["bytes"]), int(move["size"])
        if self._first is None and have:
            self._first = (self._clock(), have)
        if move["message"]:
            return f"{_amount(have, size)}{move['message']}"
        if not have:
            return f"{_amount(have, size)}waiting for the first bytes"
        return _amount(have, size) + self._pace(have, size)

    def _pace(self, have: int, size: int) -> str:
        began, before = self._first or (self._clock(), have)
        seconds = self._clock() - began
        if seconds < 1 or have <= before:
            return "…"
        speed = (have - before) / seconds
        return f"{show_bytes(speed)}/s, {duration((size - have) / speed)} left"

    def _clear(self) -> None:
        if self._drawn:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
            self._drawn = False


def _amount(have: int, size: int) -> str:
    if not size:
        return f"{show_bytes(have)}, " if have else ""
    return f"{show_bytes(have)} of {show_bytes(size)} ({100 * have // size} %), "
