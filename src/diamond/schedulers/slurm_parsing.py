"""Reading what Slurm prints, from 20.x to 25.x: rows of `squeue` and `sacct` become `NativeStatus`."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import Dict, Iterator, List, Optional, Tuple

from diamond.core.native import NativeStatus
from diamond.core.task import Reason
from diamond.schedulers.slurm_words import (
    StateMeaning,
    is_held,
    plain_state,
    state_meaning,
    waiting,
)

SQUEUE_FORMAT = (
    "JobArrayID:48|,State:32|,exit_code:16|,restartcnt:12|,SubmitTime:32|,"
    "Reason:240|,NodeList:240|,TimeLimit:24|,Name:128"
)
"""The name is last: it alone may hold a bar."""
SACCT_FORMAT = "JobID,State,ExitCode,Submit,Reason,NodeList,JobName"

OUTPUT_NOT_OPENED = 53
"""Not a signal: slurmstepd ends with it when it cannot open the output file or the folder."""

LAST_SIGNAL = 64
_JOB_ID = re.compile(r"^\d+(_\d+|_\[[\d,:%-]+\]|\+\d+)?$")
_NOTHING = {"", "N/A", "None", "(null)", "Unknown", "None assigned", "NONE", "INVALID", "n/a"}


@dataclass(frozen=True)
class Row:
    """One job as a command printed it, cut into fields."""

    job_id: str
    state: str
    exit_code: Optional[int]
    signal: Optional[int]
    restarts: int
    submitted_at: float
    reason: str
    nodes: str
    name: str
    limit_minutes: Optional[int] = None


def read_job_id(output: str) -> Optional[str]:
    """The id in the answer of `sbatch --parsable`; some sites print a banner around it."""
    for line in reversed(output.splitlines()):
        match = re.match(r"^\s*(\d+)(;\S+)?\s*$", line)
        if match:
            return match.group(1)
    return None


def read_squeue(output: str) -> Dict[str, NativeStatus]:
    return {row.job_id: native_status(row) for row in _squeue_rows(output)}


def read_sacct(output: str) -> Dict[str, NativeStatus]:
    """Without duplicates: the last row of an id is its newest run."""
    return {row.job_id: native_status(row) for row in _sacct_rows(output)}


def native_status(row: Row) -> NativeStatus:
    meaning = state_meaning(row.state)
    is_pending = plain_state(row.state) == "PENDING"
    has_ended = meaning.status == "ended"
    reason, message = _why(row, meaning)
    return NativeStatus(
        status=meaning.status,
        native_state=row.state,
        reason=reason.value,
        exit_code=row.exit_code if has_ended else None,
        signal=row.signal if has_ended else None,
        message=waiting(row.reason) if is_pending else message,
        held=meaning.held or (is_pending and is_held(row.reason)),
        restarts=row.restarts,
        nodes=row.nodes,
        submitted_at=row.submitted_at,
        name=row.name,
        limit_seconds=60.0 * (row.limit_minutes or 0),
    )


def _why(row: Row, meaning: StateMeaning) -> Tuple[Reason, str]:
    """While Slurm still clears up after a time limit, only its reason, or a second state, tells of that."""
    state = plain_state(row.state)
    if state == "COMPLETING" and (row.reason == "TimeLimit" or "TIMEOUT" in row.state.upper()):
        meaning = state_meaning("TIMEOUT")
    return _ending(row) if state == "FAILED" else (meaning.reason, meaning.message)


def _ending(row: Row) -> Tuple[Reason, str]:
    if row.signal == OUTPUT_NOT_OPENED:
        return Reason.DISK, "the node could not open its folder or write its log there"
    if row.signal:
        return Reason.SIGNAL, f"it was ended by signal {row.signal}"
    if not row.exit_code and row.reason in {"JobLaunchFailure", "launch_failure"}:
        return Reason.NODE_LOST, "the node could not launch it"
    return Reason.EXIT_CODE, f"it ended with exit code {row.exit_code}"


def _squeue_rows(output: str) -> Iterator[Row]:
    for line in output.splitlines():
        fields = [field.strip() for field in line.split("|", 8)]
        if len(fields) == 9 and _JOB_ID.match(fields[0]):
            job_id, state, code, restarts, submitted, reason, nodes, limit, name = fields
            exit_code, signal = exit_of(code)
            yield Row(
                job_id,
                state,
                exit_code,
                signal,
                _count(restarts),
                read_time(submitted),
                reason,
                text_or_empty(nodes),
                name,
                minutes(limit),
            )


def _sacct_rows(output: str) -> Iterator[Row]:
    for line in output.splitlines():
        fields = [field.strip() for field in line.split("|", 6)]
        if len(fields) == 7 and _JOB_ID.match(fields[0]):
            job_id, state, code, submitted, reason, nodes, name = fields
            exit_code, signal = exit_of(code)
            yield Row(
                job_id,
                state,
                exit_code,
                signal,
                0,
                read_time(submitted),
                reason,
                text_or_empty(nodes),
                name,
            )


def exit_of(said: str) -> Tuple[Optional[int], Optional[int]]:
    """Exit code and signal from `7:0`, or from the raw wait status that `squeue` prints."""
    pair = re.match(r"^(\d+):(\d+)$", said)
    if pair:
        return int(pair.group(1)), _signal(int(pair.group(2)))
    if not said.isdecimal():
        return None, None
    status = int(said)
    return status >> 8 & 0xFF, _signal(status & 0x7F)


def _signal(number: int) -> Optional[int]:
    """Numbers beyond the last signal are Slurm's own marks, such as 125 for out of memory."""
    return number if 0 < number <= LAST_SIGNAL else None


def read_time(said: str) -> float:
    """Seconds since the epoch from `%s` or from Slurm's standard form in local time; 0 when unknown."""
    if said.isdecimal():
        return float(said)
    try:
        return time.mktime(time.strptime(said[:19], "%Y-%m-%dT%H:%M:%S"))
    except ValueError:
        return 0.0


def minutes(said: str) -> Optional[int]:
    """Whole minutes from `D-HH:MM:SS`, `HH:MM:SS`, `MM:SS` or `MM`; None for no limit."""
    match = re.match(r"^(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?$", said.strip())
    if not match:
        return None
    days, *rest = match.groups()
    given = [int(part) for part in rest if part is not None]
    if days is None and len(given) < 3:
        return given[0]
    hours, mins, _ = [*given, 0, 0][:3]
    return (int(days or 0) * 24 + hours) * 60 + mins


def text_or_empty(said: str) -> str:
    return "" if said.strip() in _NOTHING else said.strip()


def pairs(line: str) -> Dict[str, str]:
    """The `Key=value` words of one line of `scontrol -o`."""
    return dict(re.findall(r"(\S+?)=(.*?)(?=\s+[A-Za-z][\w/:()-]*=|\s*$)", line))


def table(output: str) -> List[List[str]]:
    """The rows of `-P` output."""
    return [line.split("|") for line in output.splitlines() if "|" in line]


def _count(said: str) -> int:
    return int(said) if said.isdecimal() else 0
