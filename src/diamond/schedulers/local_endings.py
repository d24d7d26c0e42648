"""How a local job stands, as a `NativeStatus`, and the file that tells how it ended."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Dict, Optional, Tuple

from diamond.core.native import NativeStatus
from diamond.core.task import Reason
from diamond.schedulers.local_store import LocalJob
from diamond.schedulers.local_supervisor import NOT_STARTED

CAUSES: Dict[str, Tuple[str, Reason, str]] = {
    "cancelled": ("CANCELLED", Reason.BY_SITE, "it was cancelled"),
    "time-limit": ("TIMEOUT", Reason.WALL_TIME, "it reached its time limit"),
    "terminated": ("TERMINATED", Reason.NODE_LOST, "the machine asked it to end, as in a shutdown"),
    "reboot": ("NODE_FAIL", Reason.NODE_LOST, "the machine was restarted while it ran"),
    "lost": ("NODE_FAIL", Reason.NODE_LOST, "what watched over it was killed"),
}


@dataclass(frozen=True)
class Ending:
    """What the file `end` holds; an empty cause is the program's own end."""

    cause: str = ""
    exit_code: Optional[int] = None
    signal: Optional[int] = None
    at: float = field(default_factory=time.time)

    def text(self) -> str:
        return f"{self.cause or '-'} {_word(self.exit_code)} {_word(self.signal)} {self.at:.3f}"


def read_ending(text: str) -> Optional[Ending]:
    values = text.split()
    if len(values) != 4:
        return None
    cause, code, signal, at = values
    return Ending("" if cause == "-" else cause, _number(code), _number(signal), float(at))


def queued(job: LocalJob, why: str) -> NativeStatus:
    return NativeStatus(
        "queued", "PENDING", message=why, name=job.name, submitted_at=job.submitted_at
    )


def running(job: LocalJob) -> NativeStatus:
    return NativeStatus("running", "RUNNING", name=job.name, submitted_at=job.submitted_at)


def ended(job: LocalJob, ending: Ending) -> NativeStatus:
    state, reason, message = CAUSES.get(ending.cause) or _own_end(ending)
    return NativeStatus(
        "ended",
        state,
        reason=reason.value,
        exit_code=ending.exit_code,
        signal=ending.signal,
        message=message,
        name=job.name,
        submitted_at=job.submitted_at,
    )


def _own_end(ending: Ending) -> Tuple[str, Reason, str]:
    if ending.signal:
        return "FAILED", Reason.SIGNAL, f"it was ended by signal {ending.signal}"
    if ending.exit_code == 0:
        return "COMPLETED", Reason.NONE, ""
    hint = "; see native.log" if ending.exit_code == NOT_STARTED else ""
    return "FAILED", Reason.EXIT_CODE, f"it ended with exit code {ending.exit_code}{hint}"


def _word(number: Optional[int]) -> str:
    return "-" if number is None else str(number)


def _number(word: str) -> Optional[int]:
    return int(word) if word.isdecimal() else None
