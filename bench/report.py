"""Tables of findings, on the terminal and in RESULTS.md."""

from __future__ import annotations

import os
import re
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from bench.claim import Claim, Finding, Findings

RESULTS = Path(__file__).parent / "RESULTS.md"
VERDICTS = {True: "holds", False: "**fails**", None: "-"}
HEAD = ["what", "measured", "bar", "verdict"]
TITLE = """\
# Results

Written by `python -m bench --write`, whether good or bad. Each section says when, on which commit and for how long it was
measured, and how busy the machine was: a load average well above the number of cores means that others used it too.
"""


@dataclass(frozen=True)
class Conditions:
    """The circumstances under which a claim was measured."""

    words: str
    began: float
    load: float
    commit: str
    """At its start: later changes were not measured."""

    @classmethod
    def now(cls, words: str) -> Conditions:
        return cls(words, time.time(), os.getloadavg()[0], commit())

    def line(self) -> str:
        day = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(self.began))
        took = (time.time() - self.began) / 60
        return (
            f"{day}, commit {self.commit}, {took:.1f} min, {os.cpu_count()} cores, "
            f"load {self.load:.1f} before and {os.getloadavg()[0]:.1f} after; {self.words}"
        )


def commit() -> str:
    words = ["git", "-C", str(RESULTS.parent), "describe", "--always", "--dirty", "--abbrev=8"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def section(claim: Claim, findings: Findings, conditions: Conditions) -> str:
    lines = [f"## {claim.title}", "", *table(findings.rows), "", conditions.line()]
    return "\n".join([*lines, *(f"- {note}" for note in findings.notes)])


def table(rows: list[Finding]) -> list[str]:
    cells = [HEAD, *([row.what, row.measured, row.bar, VERDICTS[row.holds]] for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(HEAD))]
    lines = [
        "| "
        + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        + " |"
        for line in cells
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return [lines[0], rule, *lines[1:]]


def write_section(name: str, text: str, path: Path = RESULTS) -> None:
    """Replace the claim's older section, or append a new one."""
    old = path.read_text() if path.exists() else TITLE
    begin, end = f"<!-- bench: {name} -->", f"<!-- end: {name} -->"
    new = f"{begin}\n{text}\n{end}"
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    if pattern.search(old):
        path.write_text(pattern.sub(lambda _: new, old))
    else:
        path.write_text(old.rstrip("\n") + "\n\n" + new + "\n")
