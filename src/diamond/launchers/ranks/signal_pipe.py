"""Waits for output, a signal or a point in time, without polling."""

from __future__ import annotations

import contextlib
import os
import select
import signal
from types import FrameType
from typing import List, Optional, Sequence


class SignalPipe:
    """Every signal, the one for a child's end among them, writes a byte into a pipe. One for each process."""

    def __init__(self) -> None:
        self._reading, writing = os.pipe()
        os.set_blocking(self._reading, False)
        os.set_blocking(writing, False)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, _nothing)

    def wait(self, seconds: float, files: Sequence[int] = ()) -> List[int]:
        """Those of `files` that can be read, as soon as there are any; none after a signal or when time is up."""
        ready, _, _ = select.select([self._reading, *files], [], [], max(0.0, seconds))
        if self._reading in ready:
            with contextlib.suppress(OSError):
                os.read(self._reading, 4096)
        return [file for file in ready if file != self._reading]


def _nothing(number: int, frame: Optional[FrameType]) -> None:
    return
