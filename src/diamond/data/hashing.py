"""SHA-256 of many files by several threads, with a file of what is known already.

hashlib releases the interpreter while it works, so threads are enough (2.9 GB/s on two cores, as bare hashlib).
"""

from __future__ import annotations

import hashlib
import os
import queue
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Dict, Iterable, List, Optional, Sequence, Tuple, Union

from diamond.data.walking import FoundFile, Problem, stood

SMALL = 1 << 20
BUFFER = 1 << 20
TOGETHER = 64
"""Small files that a thread takes at once."""
RECENT_NS = 2_000_000_000
"""A file that was written so shortly before it was read may change again without a new mtime: it is read again next time."""
MOST_STALE = 2
"""The saved state is rewritten when it has so many times the records that count."""


@dataclass(frozen=True)
class Hashed:
    file: FoundFile
    sha256: str
    is_recent: bool = False


Result = Union[Hashed, Problem]


class SavedState:
    """What was read before: how each file stood, and its digest. Append-only, so that a killed scan continues.

    A record is `STOOD TAB SHA256 TAB PATH NUL`. `?` in front of how it stood means: read it again.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self.known: Dict[str, Tuple[str, str]] = {}
        self._records = 0

    def load(self) -> None:
        """The last record of a path counts; one that was cut off is ignored."""
        try:
            content = self._file.read_bytes().decode("utf-8", "surrogateescape")
        except FileNotFoundError:
            return
        for record in content.split("\0")[:-1]:
            parts = record.split("\t", 2)
            if len(parts) == 3 and len(parts[1]) == 64:
                self.known[parts[2]] = (parts[0], parts[1])
                self._records += 1

    def digest_of(self, file: FoundFile) -> str:
        """'' for a file that is new or stands otherwise."""
        known = self.known.get(file.path)
        return known[1] if known is not None and known[0] == file.stood else ""

    def append(self, results: Iterable[Hashed]) -> None:
        records = []
        for one in results:
            how = "?" + one.file.stood if one.is_recent else one.file.stood
            self.known[one.file.path] = (how, one.sha256)
            records.append(f"{how}\t{one.sha256}\t{one.file.path}\0")
        if records:
            self._write("".join(records), "ab")
            self._records += len(records)

    def tidy(self, paths: Iterable[str]) -> None:
        """Rewrite the file where most of its records no longer count."""
        kept = {path: self.known[path] for path in paths if path in self.known}
        if self._records <= MOST_STALE * max(len(kept), 1000):
            return
        aside = self._file.with_name(f".{self._file.name}.{os.getpid()}")
        text = "".join(f"{how}\t{sha}\t{path}\0" for path, (how, sha) in kept.items())
        aside.write_bytes(text.encode("utf-8", "surrogateescape"))
        aside.replace(self._file)
        self.known, self._records = kept, len(kept)

    def _write(self, text: str, mode: str) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with self._file.open(mode) as out:
            out.write(text.encode("utf-8", "surrogateescape"))


def hash_files(
    files: Sequence[FoundFile],
    *,
    threads: int,
    done: Callable[[List[Result]], None],
    progress: Callable[[int], None] = lambda count: None,
    stopped: Callable[[], bool] = lambda: False,
) -> None:
    """Hash these; `done` gets results in portions, in this thread. `progress` counts bytes, from any thread."""
    waiting: queue.SimpleQueue[Optional[List[FoundFile]]] = queue.SimpleQueue()
    ready: queue.SimpleQueue[List[Result]] = queue.SimpleQueue()
    portions = _portions(files)
    for portion in portions:
        waiting.put(portion)

    def work() -> None:
        buffer = bytearray(BUFFER)
        while (portion := waiting.get()) is not None:
            ready.put([] if stopped() else [_hash(one, buffer, progress) for one in portion])

    count = max(1, min(threads, len(portions)))
    for _ in range(count):
        waiting.put(None)
        threading.Thread(target=work, name="hash", daemon=True).start()
    for _ in portions:
        done(ready.get())


def hash_range(place: str, offset: int, length: int) -> str:
    """SHA-256 of a part of a file; of what there is where it ends before."""
    digest = hashlib.sha256()
    with open(place, "rb", buffering=0) as source:  # noqa: PTH123
        source.seek(offset)
        while length > 0 and (block := source.read(min(BUFFER, length))):
            digest.update(block)
            length -= len(block)
    return digest.hexdigest()


def _portions(files: Sequence[FoundFile]) -> List[List[FoundFile]]:
    """Large files first, each alone, so that threads end together; small ones by the dozen."""
    large = sorted((file for file in files if file.size > SMALL), key=lambda file: -file.size)
    small = [file for file in files if file.size <= SMALL]
    portions = [[file] for file in large]
    portions += [small[at : at + TOGETHER] for at in range(0, len(small), TOGETHER)]
    return portions


def _hash(file: FoundFile, buffer: bytearray, progress: Callable[[int], None]) -> Result:
    for _ in range(2):
        try:
            found = _hash_once(file, buffer, progress)
        except OSError as error:
            return Problem(file.path, error.strerror or str(error))
        if found is not None:
            return found
    return Problem(file.path, "it changed while it was read")


def _hash_once(
    file: FoundFile, buffer: bytearray, progress: Callable[[int], None]
) -> Optional[Hashed]:
    """None where it changed meanwhile."""
    descriptor = os.open(file.place, os.O_RDONLY | os.O_CLOEXEC)
    try:
        before = os.fstat(descriptor)
        digest = _digest(descriptor, before.st_size, buffer, progress)
        after = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    if stood(before) != stood(after):
        return None
    now = FoundFile(file.path, file.place, after.st_size, stood(after), bool(after.st_mode & 0o100))
    return Hashed(now, digest, time.time_ns() - after.st_mtime_ns < RECENT_NS)


def _digest(descriptor: int, size: int, buffer: bytearray, progress: Callable[[int], None]) -> str:
    if size <= SMALL:
        content = os.read(descriptor, size)
        progress(len(content))
        return hashlib.sha256(content).hexdigest()
    digest, view, left = hashlib.sha256(), memoryview(buffer), size
    # Not beyond what it was: a file that somebody writes to without end would be read without end.
    while left > 0 and (count := os.readv(descriptor, [view[:left]])):
        digest.update(view[:count])
        progress(count)
        left -= count
    return digest.hexdigest()
