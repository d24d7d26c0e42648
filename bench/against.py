"""`python -m bench.against CHECKOUT [task-list] [burst] [--turns N]`: this checkout next to an older one, in turn, in the same minutes.

CHECKOUT has a `.venv` with that version installed. Whoever shares the machine slows both alike, so the ratios count, not the seconds.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

from bench.claim import Claim, Findings, Options
from bench.numbers import median
from bench.report import Conditions, section, write_section

HERE = Path(__file__).resolve().parents[1]
ARM = Path(__file__).parent / "arms" / "version.py"
TURNS = {"task-list": 40, "burst": 6}
TITLES = {
    "task-list": "Task list of 50 among 100 000 tasks: this version / an older one",
    "burst": "A burst of 200 jobs: this version / an older one",
}
SPREAD = 1.1
"""An allowance for noise: the arms take turns, but nobody else holds still."""


class Side:
    """One version, waiting for its turns."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def answer(self) -> str:
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"bench: {self.process.args!r} ended with {self.process.wait()}")
        return line

    def turn(self) -> dict[str, tuple[float, float]]:
        assert self.process.stdin
        self.process.stdin.write("turn\n")
        self.process.stdin.flush()
        taken = json.loads(self.answer())
        return {name: (wall, cpu) for name, (wall, cpu) in taken.items()}


def main() -> int:
    words = argparse.ArgumentParser(prog="python -m bench.against", description=__doc__)
    words.add_argument("checkout", type=Path)
    words.add_argument("names", nargs="*", metavar="NAME", help="task-list, burst (both)")
    words.add_argument("--turns", type=int, default=0)
    words.add_argument("--write", action="store_true", help="rewrite the section of RESULTS.md")
    arguments = words.parse_args()
    for name in arguments.names or TURNS:
        conditions = Conditions.now("both versions in turn")
        findings = measure(name, arguments.checkout.resolve(), arguments.turns or TURNS[name])
        text = section(Claim(name, TITLES[name], unused), findings, conditions)
        print(text + "\n", flush=True)
        if arguments.write:
            write_section(f"{name}-against", text)
    return 0


def unused(options: Options) -> Findings:
    raise NotImplementedError


def measure(name: str, checkout: Path, turns: int) -> Findings:
    taken: dict[str, dict[str, list[tuple[float, float]]]] = defaultdict(lambda: defaultdict(list))
    with contextlib.ExitStack() as exits:
        sides = {
            "new": exits.enter_context(started(HERE, name)),
            "old": exits.enter_context(started(checkout, name)),
        }
        for side in sides.values():
            side.answer()
        for number in range(turns + 1):
            for which in random.sample(list(sides), 2):
                for what, pair in sides[which].turn().items():
                    if number:
                        taken[what][which].append(pair)
    return judge(taken, checkout, turns)


@contextlib.contextmanager
def started(checkout: Path, name: str) -> Iterator[Side]:
    folder = Path(tempfile.mkdtemp(prefix="db-"))
    folder.chmod(0o755)
    process = subprocess.Popen(
        [str(checkout / ".venv" / "bin" / "python"), str(ARM), name, str(folder / "s")],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        (folder / "s").mkdir()
        yield Side(process)
    finally:
        assert process.stdin
        process.stdin.close()
        process.wait(120)
        shutil.rmtree(folder, ignore_errors=True)


def judge(
    taken: dict[str, dict[str, list[tuple[float, float]]]], checkout: Path, turns: int
) -> Findings:
    findings = Findings()
    for what, sides in taken.items():
        # The kernel counts CPU in hundredths of a second: only a mean is finer.
        for index, (kind, middle) in enumerate({"wall": median, "CPU": fmean}.items()):
            new, old = (middle([pair[index] for pair in sides[which]]) for which in ("new", "old"))
            findings.add(
                f"{what}, {kind}",
                f"{new / old:.2f}× ({1000 * new:.1f} ms over {1000 * old:.1f} ms)",
                f"≤ {SPREAD}×",
                new / old <= SPREAD,
            )
    words = ["git", "-C", str(checkout), "rev-parse", "--short=8", "HEAD"]
    commit = subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    findings.note(
        f"Against commit {commit}; {turns} turns in random order: medians of wall time, means of CPU."
    )
    return findings


if __name__ == "__main__":
    sys.exit(main())
