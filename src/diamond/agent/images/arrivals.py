"""A file that comes in: while its bytes are written, what lies on the disk is read again and hashed, and its size is told."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

BLOCK = 4 << 20
LOOK_SECONDS = 0.05
TELL_SECONDS = 1.0


class Arriving:
    """`tell` gets the bytes that are here, from a thread of its own: the one that receives has its connection in use."""

    def __init__(self, part: Path, tell: Callable[[int], None]) -> None:
        self._part, self._tell = part, tell
        self._complete, self._ended = threading.Event(), threading.Event()
        self._digest = hashlib.sha256()
        self._threads = [
            threading.Thread(target=one, name=one.__name__, daemon=True)
            for one in (self._hash, self._tell_now_and_then)
        ]

    def __enter__(self) -> Arriving:
        for one in self._threads:
            one.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._complete.set()
        for one in self._threads:
            one.join()

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

    def _tell_now_and_then(self) -> None:
        """Until it ends, or the file has gone: taken into the store, or thrown away."""
        while not self._ended.wait(TELL_SECONDS) and self._part.exists():
            with suppress(FileNotFoundError):
                self._tell(self._part.stat().st_size)
