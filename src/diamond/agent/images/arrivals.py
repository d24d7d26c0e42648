"""A file that arrives: while its bytes are written, what is on disk is read back and hashed, and its size is reported."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

BLOCK = 4 << 20
LOOK_SECONDS = 0.05
REPORT_SECONDS = 1.0


class Arriving:
    """`report` gets the number of bytes here, from its own thread: the receiving one has its connection in use."""

    def __init__(self, part: Path, report: Callable[[int], None]) -> None:
        self._part, self._report = part, report
        self._complete, self._ended = threading.Event(), threading.Event()
        self._digest = hashlib.sha256()
        self._threads = [
            threading.Thread(target=target, name=target.__name__, daemon=True)
            for target in (self._hash, self._report_now_and_then)
        ]

    def __enter__(self) -> Arriving:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._complete.set()
        for thread in self._threads:
            thread.join()

    def sha256(self) -> str:
        """Of the whole file, once all of it is written."""
        self._complete.set()
        self._threads[0].join()
        return self._digest.hexdigest()

    def _hash(self) -> None:
        with self._part.open("rb") as source:
            while not self._ended.is_set():
                was_complete = self._complete.is_set()
                data = source.read(BLOCK)
                self._digest.update(data)
                if not data and was_complete:
                    return
                if not data:
                    self._complete.wait(LOOK_SECONDS)

    def _report_now_and_then(self) -> None:
        """Until it ends, or the file is gone: moved into the store, or removed."""
        while not self._ended.wait(REPORT_SECONDS) and self._part.exists():
            with suppress(FileNotFoundError):
                self._report(self._part.stat().st_size)
