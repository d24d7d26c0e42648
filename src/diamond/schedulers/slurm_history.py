"""How long the agent's owner waited here lately, by one question to Slurm's accounting."""

from __future__ import annotations

import os
from typing import Any, Iterator, List, Optional

from diamond.schedulers.slurm_calls import answer

HISTORY_FORMAT = "Submit,Eligible,Start,NNodes,TimelimitRaw,Partition"
SINCE = "now-60days"
MOST = 200
"""The profile is read at every submission, so it stays small; a plan needs 59."""

Wait = List[Any]
"""[submitted, waited, nodes, limit_seconds, partition]"""


def ask_waits() -> List[Wait]:
    """The last jobs that started, oldest start first."""
    command = ["sacct", "-X", "-n", "-P", "-u", str(os.getuid()), "-S", SINCE]
    return read_waits(answer([*command, f"--format={HISTORY_FORMAT}"]))


def read_waits(output: str) -> List[Wait]:
    waits = [wait for line in output.splitlines() for wait in _wait(line.split("|"))]
    return sorted(waits, key=lambda pair: pair[0] + pair[1])[-MOST:]


def _wait(fields: List[str]) -> Iterator[Wait]:
    """Nothing for a job that never started, or that has no limit. What it waited for its dependencies is not the queue's doing."""
    if len(fields) != len(HISTORY_FORMAT.split(",")):
        return
    submitted, eligible, started, nodes, limit = (_number(word) for word in fields[:5])
    if submitted is None or started is None or not nodes or not limit:
        return
    asked = max(submitted, eligible or 0)
    partition = fields[5].split(",")[0]
    if started >= asked:
        yield [asked, started - asked, nodes, 60 * limit, partition]


def _number(word: str) -> Optional[int]:
    return int(word) if word.strip().isdigit() else None
