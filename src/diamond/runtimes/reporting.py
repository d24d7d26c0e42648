"""What a build tells: all words in one log, and one line of JSON for each thing that happens."""

from __future__ import annotations

import json
import os
import stat
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Optional

from diamond.core.task import Reason
from diamond.images.plan import Step
from diamond.runtimes.image_folders import write_json

MOST_WORDS = 1000


class Report:
    """`log` receives the words (this process's own output by default), `steps` the events, or nobody does."""

    def __init__(self, steps: Optional[Path] = None, log: Optional[BinaryIO] = None) -> None:
        self._steps, self._log = steps, log or sys.stdout.buffer
        self._offset = _size(self._log)
        self._from, self._begun = 0, 0.0

    def write(self, line: bytes) -> None:
        self._log.write(line)
        self._log.flush()
        self._offset += len(line)

    def say(self, line: str) -> None:
        self.write(line.encode("utf-8", "replace") + b"\n")

    def tell(self, event: str, **facts: Any) -> None:
        if self._steps is None:
            return
        line = json.dumps({"event": event, **facts}, ensure_ascii=False) + "\n"
        with self._steps.open("ab") as sink:
            sink.write(line.encode())

    def blame(self, message: str) -> None:
        """In the words that become the task's own; the agent looks for them beside the steps."""
        if self._steps is not None:
            culprit = self._steps.with_name("culprit.json")
            verdict = {"message": message[:MOST_WORDS], "reason": Reason.EXIT_CODE.value}
            with suppress(OSError):
                write_json(culprit, verdict)

    def started(self, step: Step) -> None:
        self._from, self._begun = self._offset, time.time()
        self.tell("started", step=step.name, at=self._begun, log_from=self._from)
        self.say(f"==> {step.name}: {step.title}")

    def cached(self, step: Step) -> None:
        begin = self._offset
        self.say(f"==> {step.name}: {step.title} (in the cache)")
        self.tell("cached", step=step.name, at=time.time(), log_from=begin, log_to=self._offset)

    def ended(self, step: Step, code: int) -> None:
        now = time.time()
        self.tell(
            "ended",
            step=step.name,
            at=now,
            exit_code=code,
            seconds=round(now - self._begun, 3),
            log_from=self._from,
            log_to=self._offset,
        )


def _size(log: BinaryIO) -> int:
    """Where the log stands already: a file that is appended to may hold words of an earlier program."""
    try:
        status = os.fstat(log.fileno())
    except (OSError, ValueError):
        return 0
    return status.st_size if stat.S_ISREG(status.st_mode) else 0
