"""Print log bytes exactly as the program wrote them."""

from __future__ import annotations

import sys

from diamond.cli.output import say
from diamond.core.units import show_bytes
from diamond.sdk.logs import LogPart


class LogWriter:
    """Standard output to stdout and standard error to stderr; with `merged`, both to stdout."""

    def __init__(self, *, merged: bool = False) -> None:
        self._merged = merged
        self._attempt = ""
        self._run = 0

    def write(self, part: LogPart) -> None:
        self._announce(part)
        if part.skipped:
            say(f"… {show_bytes(part.skipped)} are on the cluster, which is not reachable now …")
        stream = sys.stdout if self._merged or part.stream == "stdout" else sys.stderr
        stream.flush()
        stream.buffer.write(part.data)
        stream.buffer.flush()

    def _announce(self, part: LogPart) -> None:
        if self._attempt and part.attempt != self._attempt:
            say("— next attempt —")
        elif self._attempt and part.run != self._run:
            say(f"— requeued by the batch system: run {part.run} —")
        self._attempt, self._run = part.attempt, part.run
