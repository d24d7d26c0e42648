"""Job logs in the Standard Workload Format of the Parallel Workloads Archive, packed by gzip or not."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from diamond.planning.waits import PastWait

SUBMITTED, WAITED, RAN, GIVEN, ASKED, LIMIT, STATUS, QUEUE = 1, 2, 3, 4, 7, 8, 10, 14
CANCELLED = 5
THANKED = ("Installation", "Acknowledge")


@dataclass(frozen=True)
class Log:
    name: str
    thanks: str
    """Whose machine it was and who gave the log."""
    jobs: list[PastWait]
    """In the order of their submission; processors stand in for nodes."""


def read_logs(folder: Path) -> Iterator[Log]:
    for path in logs_in(folder):
        yield read_log(path)


def logs_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.name.endswith((".swf", ".swf.gz")))


def read_log(path: Path) -> Log:
    jobs, thanks = [], []
    with opened(path) as lines:
        for line in lines:
            word, _, rest = line.lstrip("; ").partition(":")
            if line.startswith(";"):
                thanks += [rest.strip()] if word.strip() in THANKED else []
            elif job := read_job(line.split()):
                jobs.append(job)
    jobs.sort(key=lambda one: one.submitted)
    return Log(path.name.split(".swf")[0], ", ".join(thanks), jobs)


def opened(path: Path) -> TextIO:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", errors="replace")
    return path.open(errors="replace")


def read_job(fields: list[str]) -> PastWait | None:
    """None for a job that never started, whose size or limit nobody wrote down, or that is no job at all."""
    try:
        return made_of(fields) if len(fields) > QUEUE else None
    except ValueError:
        return None


def made_of(fields: list[str]) -> PastWait | None:
    size = known(fields[ASKED]) or known(fields[GIVEN])
    limit = known(fields[LIMIT]) or known(fields[RAN])
    waited = float(fields[WAITED])
    never_ran = int(float(fields[STATUS])) == CANCELLED and not known(fields[RAN])
    if waited < 0 or never_ran or not size or not limit:
        return None
    return PastWait(float(fields[SUBMITTED]), waited, int(size), limit, fields[QUEUE])


def known(field: str) -> float:
    """0 for what is unknown, written as -1."""
    return max(0.0, float(field))
