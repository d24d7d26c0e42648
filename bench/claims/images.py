"""Building a torch image and changing its last step, compared with plain `apptainer build` of the same recipe."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.claim import Claim, Findings, Options
from bench.containers import PlainBuild, account, python_base
from bench.numbers import median, seconds
from diamond.testing.runtimes import Bench, Built

FULL_ROUNDS = 3
STARTS = 20
TORCH = ["torch==2.13.0", "numpy"]
MOST_REBUILD, MOST_FIRST, MOST_AGAIN, MOST_START = 0.35, 1.25, 1.0, 0.050


def measure(options: Options) -> Findings:
    folder = options.folder
    folder.chmod(0o777)
    who = account(folder)
    environment: dict[str, Any] = {
        "base": f"sif:{_base(folder, options)}",
        "requirements": TORCH,
        "python": "3.11",
    }
    cache = folder / "cache"
    cache.mkdir()
    cache.chmod(0o777)
    bench = Bench(folder, who, "apptainer", environment)
    warm = _build(bench, cache, "echo warm")
    plain = PlainBuild(bench, _lock(warm), cache)
    found = Findings()
    _compare_starts(found, bench, warm)
    _compare_builds(found, bench, plain, cache, options.samples(FULL_ROUNDS))
    found.note("package cache warm and zstd-3 in both; the base is one squashfs for both")
    found.note(
        "each build starts when the disk has finished writing the previous one, so that neither side pays for the other's writes"
    )
    return found


def _compare_builds(
    found: Findings, bench: Bench, plain: PlainBuild, cache: Path, rounds: int
) -> None:
    first, again, rebuilt, theirs = [], [], [], []
    for number in range(rounds):
        commands = [f"echo round {number} >/opt/round"]
        wanted = {**bench.environment, "commands": commands}
        theirs.append(_timed_plain(bench, plain.words(wanted)))
        _forget(bench)
        first.append(_timed_build(bench, cache, commands[0]))
        again.append(_timed_build(bench, cache, commands[0]))
        rebuilt.append(_timed_build(bench, cache, f"echo changed {number} >/opt/round"))
        last = [theirs[-1], first[-1], again[-1], rebuilt[-1]]
        said = "round %d: plain %.1f s, first %.1f s, again %.1f s, rebuilt %.1f s"
        print(said % (number, *last), file=sys.stderr, flush=True)
    found.add("plain `apptainer build`", seconds(theirs))
    _ratio(found, "first build", first, theirs, MOST_FIRST)
    _ratio(found, "rebuild, last step changed", rebuilt, theirs, MOST_REBUILD)
    middle = median(again)
    found.add("asked for again", seconds(again), f"< {MOST_AGAIN} s", middle < MOST_AGAIN)


def _compare_starts(found: Findings, bench: Bench, built: Built) -> None:
    """In turn, and never fewer: single starts differ by more than the bar."""
    entered = bench.enter(built)
    assert entered.returncode == 0, entered.stdout
    script = str(built.file.parent / "enter.sh")
    ours, bare = [], []
    for _ in range(STARTS + 1):
        ours.append(_spent(bench, ["bash", script, "true"]))
        bare.append(_spent(bench, ["apptainer", "exec", built.record["file"], "true"]))
    more = median([one.wall - other.wall for one, other in zip(ours[1:], bare[1:], strict=True)])
    work = median([one.cpu - other.cpu for one, other in zip(ours[1:], bare[1:], strict=True)])
    found.add("start inside, by Diamond", seconds([one.wall for one in ours[1:]]))
    found.add("start inside, plain `apptainer exec`", seconds([one.wall for one in bare[1:]]))
    found.add("difference, pair by pair", f"{1000 * more:+.0f} ms", "< 50 ms", more < MOST_START)
    found.add("processor time in it", f"{1000 * work:+.0f} ms")


@dataclass(frozen=True)
class _Spent:
    wall: float
    cpu: float


def _spent(bench: Bench, words: Sequence[str]) -> _Spent:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    wall = _timed(bench, words)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
    return _Spent(wall, user + system)


def _ratio(
    found: Findings, what: str, ours: Sequence[float], theirs: Sequence[float], most: float
) -> None:
    """Round by round, so that a slow machine slows both."""
    ratio = median([one / other for one, other in zip(ours, theirs, strict=True)])
    found.add(what, f"{seconds(ours)}; {ratio:.2f} of plain", f"≤ {most}", ratio <= most)


def _base(folder: Path, options: Options) -> Path:
    """The tar as a squashfs: the common starting point."""
    target = folder / "base.sqfs"
    root = folder / "base"
    root.mkdir()
    tar = python_base(options.cache)
    subprocess.run(["tar", "-xf", str(tar), "-C", str(root), "--exclude=./dev/*"], check=True)
    words = ["mksquashfs", str(root), str(target), "-quiet", "-no-progress", "-comp", "zstd"]
    subprocess.run(words, check=True)
    shutil.rmtree(root)
    target.chmod(0o644)
    return target


def _build(bench: Bench, cache: Path, command: str) -> Built:
    built = bench.build(site={"cache": str(cache)}, commands=[command])
    assert built.code == 0, built.log
    return built


def _timed_build(bench: Bench, cache: Path, command: str) -> float:
    file = bench.prepare(site={"cache": str(cache)}, commands=[command])
    os.sync()
    began = time.perf_counter()
    built = bench.finished(bench.start(file))
    assert built.code == 0, built.log
    return time.perf_counter() - began


def _timed_plain(bench: Bench, words: Sequence[str]) -> float:
    os.sync()
    return _timed(bench, words)


def _timed(bench: Bench, words: Sequence[str]) -> float:
    began = time.perf_counter()
    done = bench.account.run(words)
    assert done.returncode == 0, done.stdout + done.stderr
    return time.perf_counter() - began


def _lock(built: Built) -> str:
    recipe = json.loads((built.file.parent / "recipe.json").read_text())
    return str(recipe["lock"])


def _forget(bench: Bench) -> None:
    """No step cache, no unpacked base, no image; uv's downloads stay."""
    for name in ("layers", "bases", "store", "identities"):
        place = bench.work / "images" / name
        bench.account.run(["unshare", "--map-root-user", "--map-auto", "rm", "-rf", str(place)])


CLAIM = Claim("images", "building a torch image, and changing its last step", measure)
