"""Reading 100,000 small files out of an archive, as a job mounts it, compared with plain files; both with a cold page cache."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.claim import Claim, Findings, Options
from bench.numbers import median, seconds
from diamond.agent.data.archives import QUIETLY

FULL_ROUNDS = 3
FILES = 100_000
MOST_OF_PLAIN = 1.0
MOUNTER = ["squashfuse_ll"]
"""As in `launchers/batch.sh`."""
READER = """\
import os, sys
count = 0
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        with open(os.path.join(folder, name), "rb") as file:
            count += len(file.read())
print(count)
"""


def measure(options: Options) -> Findings:
    found, root = Findings(), options.folder / "plain"
    for number in range(FILES):
        place = root / f"{number // 1000:03}"
        if number % 1000 == 0:
            place.mkdir(parents=True)
        (place / f"{number:06}").write_bytes(os.urandom(500) * 2)
    archive = options.folder / "archive.squashfs"
    packed = _timed(lambda: _run(["mksquashfs", str(root), str(archive), *QUIETLY]))
    plain, mounted = [], []
    for turn in range(options.samples(FULL_ROUNDS) + 1):
        plain.append(_cold(root))
        with _mounted(archive, options.folder / "mounted") as folder:
            mounted.append(_cold(folder))
        words = "round %d: plain %.2f s, archive %.2f s"
        print(words % (turn, plain[-1], mounted[-1]), file=sys.stderr, flush=True)
    ratio = median([one / other for one, other in zip(mounted[1:], plain[1:], strict=True)])
    found.add(f"packing {FILES} files of 1 kB", f"{packed:.1f} s")
    found.add("reading them as plain files, cold", seconds(plain[1:]))
    found.add("reading them from the archive, cold", seconds(mounted[1:]))
    what = "time relative to plain files, pair by pair"
    found.add(what, f"{ratio:.2f}", f"<= {MOST_OF_PLAIN}", ratio <= MOST_OF_PLAIN)
    found.note("one process reads every file in turn; the page cache is dropped before each arm")
    return found


@contextmanager
def _mounted(archive: Path, folder: Path) -> Iterator[Path]:
    folder.mkdir(exist_ok=True)
    _run([*MOUNTER, str(archive), str(folder)])
    try:
        yield folder
    finally:
        unmount = shutil.which("fusermount3") or "fusermount"
        _run([unmount, "-uz", str(folder)])


def _cold(folder: Path) -> float:
    os.sync()
    Path("/proc/sys/vm/drop_caches").write_text("3")
    return _timed(lambda: _run([sys.executable, "-c", READER, str(folder)]))


def _run(words: list[str]) -> None:
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


def _timed(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


CLAIM = Claim("data-archive", "Many small files in one archive, read as a job does", measure)
