"""What a claim is, what was requested, and what was found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Options:
    """How long to measure; 0 means each claim's full measurementment."""

    folder: Path
    """Scratch space of this run, with a path short enough for Unix sockets."""
    cache: Path
    """Kept between runs: the peers' virtual environment."""
    count: int = 0
    minutes: float = 0.0
    logs: Path | None = None
    """A folder of job logs, for the claim that replays them."""

    def samples(self, full: int) -> int:
        return self.count or full

    def seconds(self, full_minutes: float) -> float:
        return 60 * (self.minutes or full_minutes)


@dataclass(frozen=True)
class Finding:
    """One number against its bar. `holds` is None for a number that has no bar."""

    what: str
    measured: str
    bar: str = ""
    holds: bool | None = None


@dataclass
class Findings:
    rows: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, what: str, measured: str, bar: str = "", holds: bool | None = None) -> None:
        self.rows.append(Finding(what, measured, bar, holds))

    def note(self, text: str) -> None:
        self.notes.append(text)


@dataclass(frozen=True)
class Claim:
    name: str
    title: str
    measure: Callable[[Options], Findings]
