"""Reading a folder to make its manifest: only what changed since the last time is read."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Dict, List, Sequence

from diamond.core.errors import BadRequest
from diamond.data.hashing import Hashed, Result, SavedState, hash_files
from diamond.data.manifest import (
    Entry,
    FileEntry,
    Summary,
    check_path,
    sort_key,
    write_manifest,
)
from diamond.data.walking import FoundFile, Problem, Walked, walk

REPORT_SECONDS = 0.5


@dataclass(frozen=True)
class Progress:
    bytes: int
    size: int
    files_done: int
    files: int
    seconds_left: float
    """0: not known yet."""


@dataclass(frozen=True)
class Scanned:
    summary: Summary
    fingerprint: str
    is_settled: bool
    """No file was written just before it was read: an equal fingerprint means equal files."""
    problems: List[Problem] = field(default_factory=list)
    """With any of these there is no manifest."""
    read: int = 0
    """Bytes that had to be read."""


def scan(
    root: str,
    *,
    manifest: Path,
    state: Path,
    recheck: bool = False,
    threads: int = 0,
    report: Callable[[Progress], None] = lambda progress: None,
    stopped: Callable[[], bool] = lambda: False,
) -> Scanned:
    """Read what is new or changed, and write the manifest."""
    saved = SavedState(state)
    saved.load()
    walked = walk(root)
    walked.problems += _bad_names(walked)
    digests = {} if recheck else _known(walked.files, saved)
    missing = [file for file in walked.files if file.path not in digests]
    reading = _Reading(walked, missing, saved, report)
    hash_files(
        missing,
        threads=threads or default_threads(),
        done=reading.take,
        progress=reading.count,
        stopped=stopped,
    )
    problems = walked.problems + reading.problems
    if problems or stopped():
        summary = Summary("", walked.size, len(walked.files), 0)
        return Scanned(
            summary, "", False, sorted(problems, key=lambda one: one.path), reading.bytes
        )
    saved.tidy(file.path for file in walked.files)
    return _written(walked, {**digests, **reading.digests}, manifest, reading)


def default_threads() -> int:
    """As many as this process may use, at most four: disks gain little from more."""
    return min(len(os.sched_getaffinity(0)), 4)


def entries_of(walked: Walked, digests: Dict[str, str]) -> List[Entry]:
    entries: List[Entry] = [
        FileEntry(file.path, file.size, digests[file.path], file.is_executable)
        for file in walked.files
    ]
    entries += walked.links
    entries += walked.folders
    return sorted(entries, key=lambda entry: sort_key(entry.path))


def _known(files: Sequence[FoundFile], saved: SavedState) -> Dict[str, str]:
    found = ((file.path, saved.digest_of(file)) for file in files)
    return {path: digest for path, digest in found if digest}


def _bad_names(walked: Walked) -> List[Problem]:
    problems = []
    paths = [file.path for file in walked.files]
    paths += [link.path for link in walked.links]
    paths += [folder.path for folder in walked.folders]
    for path in paths:
        try:
            check_path(path)
        except BadRequest as error:
            problems.append(Problem(path, error.message))
    return problems


def _written(walked: Walked, digests: Dict[str, str], manifest: Path, reading: _Reading) -> Scanned:
    walked.files = [reading.files.get(file.path, file) for file in walked.files]
    aside = manifest.with_name(f".{manifest.name}.{os.getpid()}")
    manifest.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with aside.open("wb") as out:
        summary = write_manifest(entries_of(walked, digests), out)
    aside.replace(manifest)
    return Scanned(summary, walked.fingerprint(), not reading.has_recent, [], reading.bytes)


class _Reading:
    """Gathers results, saves them as they come, and reports now and then."""

    def __init__(
        self,
        walked: Walked,
        missing: Sequence[FoundFile],
        saved: SavedState,
        report: Callable[[Progress], None],
    ) -> None:
        self.digests: Dict[str, str] = {}
        self.files: Dict[str, FoundFile] = {}
        self.problems: List[Problem] = []
        self.bytes, self.has_recent = 0, False
        self._saved, self._report = saved, report
        self._size, self._count = walked.size, len(walked.files)
        self._before = self._size - sum(file.size for file in missing)
        self._files_before = self._count - len(missing)
        self._began = self._reported = time.monotonic()

    def count(self, count: int) -> None:
        self.bytes += count
        self._now_and_then()

    def take(self, results: List[Result]) -> None:
        hashed = [one for one in results if isinstance(one, Hashed)]
        for one in hashed:
            self.digests[one.file.path], self.files[one.file.path] = one.sha256, one.file
            self.has_recent |= one.is_recent
        self.problems += [one for one in results if isinstance(one, Problem)]
        self._saved.append(hashed)
        self._now_and_then()

    def _now_and_then(self) -> None:
        now = time.monotonic()
        if now - self._reported < REPORT_SECONDS:
            return
        self._reported = now
        done = self._before + self.bytes
        rate = self.bytes / max(now - self._began, 0.001)
        left = max(self._size - done, 0) / rate if rate else 0.0
        files = self._files_before + len(self.digests)
        self._report(Progress(min(done, self._size), self._size, files, self._count, left))
