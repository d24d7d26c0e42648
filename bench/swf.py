"""Job logs in the Standard Workload Format of the Parallel Workloads Archive, gzipped or not."""

from __future__ import annotations

import gzip
import zlib
from array import array
from dataclasses import dataclass, field, replace
from pathlib import Path
from sys import intern
from typing import TextIO

from diamond.planning.waits import PastWait

NUMBER, SUBMITTED, WAITED, RAN, GIVEN, ASKED, LIMIT, STATUS, QUEUE = 0, 1, 2, 3, 4, 7, 8, 10, 14
PARTS = (2, 3, 4)
CANCELLED = 5
THANKED = ("Installation", "Acknowledge")
ENDINGS = (".swf", ".swf.gz")


@dataclass(frozen=True)
class Log:
    name: str
    thanks: str
    """Whose machine it was and who provided the log."""
    jobs: list[PastWait]
    """In the order of their submission; processors stand in for nodes."""
    remarks: tuple[str, ...] = ()
    """What the log leaves unclear, and how it was read."""


def logs_in(folder: Path) -> list[Path]:
    """Including those in subfolders."""
    every = (path for path in folder.rglob("*") if path.name.lower().endswith(ENDINGS))
    return sorted(path for path in every if path.is_file())


def read_log(path: Path) -> Log:
    read = Reading()
    try:
        with opened(path) as lines:
            for line in lines:
                read.take(line)
    except (OSError, EOFError, zlib.error) as problem:
        read.remarks.append(f"cannot be read to its end ({problem}): using what was read")
    return read.log(path.name[: path.name.lower().rindex(".swf")])


def opened(path: Path) -> TextIO:
    if path.suffix.lower() == ".gz":
        return gzip.open(path, "rt", encoding="utf-8", errors="replace")
    return path.open(encoding="utf-8", errors="replace")


@dataclass
class Reading:
    """What has been read from one log so far."""

    jobs: list[PastWait] = field(default_factory=list)
    """With limit 0 if the log has none."""
    ran: array[float] = field(default_factory=lambda: array("d"))
    """The run time of each."""
    thanks: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    number: str = ""
    """Of the last line's job."""

    def take(self, line: str) -> None:
        line = line.strip("\0 \t\r\n\ufeff")
        if line.startswith(";"):
            word, _, rest = line.lstrip("; ").partition(":")
            self.thanks += [rest.strip()] if word.strip() in THANKED else []
        elif line:
            self.take_job(line.split())

    def take_job(self, fields: list[str]) -> None:
        """A malformed or truncated line is skipped."""
        try:
            job = read_job(fields) if len(fields) > QUEUE else None
            is_part = fields[NUMBER] == self.number and int(float(fields[STATUS])) in PARTS
        except (ValueError, IndexError, OverflowError):
            return
        self.number = fields[NUMBER]
        if job and not is_part:
            self.jobs.append(job)
            self.ran.append(known(fields[RAN]))

    def log(self, name: str) -> Log:
        jobs = sorted(self.with_limits(), key=lambda one: one.submitted)
        if not jobs:
            self.remarks.append("none of its jobs has a wait, a size and a limit")
        return Log(name, ", ".join(self.thanks), jobs, tuple(self.remarks))

    def with_limits(self) -> list[PastWait]:
        """The same measure for all jobs of a log: limits and run times are not mixed."""
        named = [job for job in self.jobs if job.limit_seconds]
        without = len(self.jobs) - len(named)
        if len(named) >= without:
            if without:
                self.remarks.append(f"{without} jobs without a limit are left out")
            return named
        self.remarks.append(
            f"{without} of {len(self.jobs)} jobs have no limit, so their run times are used instead"
        )
        each = zip(self.jobs, self.ran, strict=True)
        return [replace(job, limit_seconds=ran) for job, ran in each if ran]


def read_job(fields: list[str]) -> PastWait | None:
    """None for a job that never started or has no size."""
    size = known(fields[ASKED]) or known(fields[GIVEN])
    waited = float(fields[WAITED])
    never_ran = int(float(fields[STATUS])) == CANCELLED and not known(fields[RAN])
    if not waited >= 0 or never_ran or not size:
        return None
    limit = known(fields[LIMIT])
    return PastWait(
        float(fields[SUBMITTED]), waited, max(1, int(size)), limit, intern(fields[QUEUE])
    )


def known(text: str) -> float:
    """0 for an unknown value, written as -1."""
    return max(0.0, float(text))
