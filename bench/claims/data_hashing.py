"""Registering data: hashing a large folder, and looking again at one of many files."""

from __future__ import annotations

import hashlib
import os
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

from bench.claim import Claim, Findings, Options
from bench.numbers import median, seconds
from diamond.data.scanning import scan
from diamond.data.walking import fingerprint_of

FULL_ROUNDS = 5
MEGABYTES, LARGE_FILES, SMALL_FILES = 2000, 16, 100_000
LEAST_OF_BARE, MOST_OF_FIND = 0.8, 3.0


def measure(options: Options) -> Findings:
    found, rounds = Findings(), options.samples(FULL_ROUNDS)
    _hashing(found, options.folder, rounds)
    _looking_again(found, options.folder, rounds)
    return found


def _hashing(found: Findings, folder: Path, rounds: int) -> None:
    """In turn, from the page cache, so that both see the same load."""
    root = folder / "large"
    root.mkdir()
    for number in range(LARGE_FILES):
        (root / str(number)).write_bytes(os.urandom(MEGABYTES // LARGE_FILES * 1_000_000))
    files = [str(root / str(number)) for number in range(LARGE_FILES)]
    ours, bare = [], []
    for _ in range(rounds + 1):
        bare.append(_timed(lambda: _bare(files)))
        ours.append(_timed(lambda: _scan(root, folder, recheck=True)))
    ratio = median([one / other for one, other in zip(bare[1:], ours[1:], strict=True)])
    found.add(f"two bare hashlib threads over {MEGABYTES} MB", seconds(bare[1:]))
    found.add("the same folder scanned into a manifest", seconds(ours[1:]))
    what = "speed relative to bare hashlib, pair by pair"
    found.add(what, f"{ratio:.2f}", f">= {LEAST_OF_BARE}", ratio >= LEAST_OF_BARE)


def _looking_again(found: Findings, folder: Path, rounds: int) -> None:
    root = folder / "many"
    for number in range(SMALL_FILES):
        place = root / f"{number // 1000:03}"
        if number % 1000 == 0:
            place.mkdir(parents=True)
        (place / f"{number:06}").write_bytes(b"%010d" % number * 100)
    before = fingerprint_of(str(root))
    ours, theirs = [], []
    words = ["find", str(root), "-printf", "%s %T@ %i %p\n"]
    for _ in range(rounds + 1):
        theirs.append(_timed(lambda: subprocess.run(words, stdout=subprocess.DEVNULL, check=True)))
        ours.append(_timed(lambda: _same(root, before)))
    ratio = median([one / other for one, other in zip(ours[1:], theirs[1:], strict=True)])
    found.add(f"`find -printf` over {SMALL_FILES} files", seconds(theirs[1:]))
    found.add("whether they are unchanged, as before each start", seconds(ours[1:]))
    what = "time relative to find, pair by pair"
    found.add(what, f"{ratio:.2f}", f"<= {MOST_OF_FIND}", ratio <= MOST_OF_FIND)


def _bare(files: list[str]) -> None:
    def work(some: list[str]) -> None:
        buffer = bytearray(1 << 20)
        for file in some:
            digest = hashlib.sha256()
            with open(file, "rb", buffering=0) as source:  # noqa: PTH123
                while count := source.readinto(buffer):
                    digest.update(memoryview(buffer)[:count])

    threads = [threading.Thread(target=work, args=(files[n::2],)) for n in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _scan(root: Path, folder: Path, *, recheck: bool) -> None:
    scanned = scan(str(root), manifest=folder / "m", state=folder / "s", recheck=recheck, threads=2)
    assert not scanned.problems


def _same(root: Path, before: str) -> None:
    assert fingerprint_of(str(root)) == before


def _timed(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


CLAIM = Claim("data-hashing", "Registering data: hashing it, and looking at it again", measure)
