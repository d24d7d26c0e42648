"""How a local job stands, as a `NativeStatus`."""

from __future__ import annotations

import json
from typing import Any, Dict, Tuple

from diamond.core.native import NativeStatus
from diamond.core.task import Reason
from diamond.schedulers.local_store import LocalJob

CAUSES: Dict[str, Tuple[str, Reason, str]] = {
    "cancelled": ("CANCELLED", Reason.BY_SITE, "it was cancelled"),
    "time-limit": ("TIMEOUT", Reason.WALL_TIME, "it reached its time limit"),
    "terminated": ("TERMINATED", Reason.NODE_LOST, "the machine told it to end, as in a shutdown"),
    "reboot": ("NODE_FAIL", Reason.NODE_LOST, "the machine was restarted while it ran"),
    "lost": ("NODE_FAIL", Reason.NODE_LOST, "what watched over it was killed"),
}


def queued(job: LocalJob, why: str) -> NativeStatus:
    return NativeStatus(
        "queued", "PENDING", message=why, name=job.name, submitted_at=job.submitted_at
    )


def running(job: LocalJob) -> NativeStatus:
    return NativeStatus("running", "RUNNING", name=job.name, submitted_at=job.submitted_at)


def ended(job: LocalJob, ending: Dict[str, Any]) -> NativeStatus:
    state, reason, message = CAUSES.get(str(ending.get("cause")), _own_end(ending))
    return NativeStatus(
        "ended",
        state,
        reason=reason.value,
        exit_code=ending.get("exit_code"),
        signal=ending.get("signal"),
        message=message,
        name=job.name,
        submitted_at=job.submitted_at,
    )


def dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _own_end(ending: Dict[str, Any]) -> Tuple[str, Reason, str]:
    if ending.get("signal"):
        return "FAILED", Reason.SIGNAL, f"it was ended by signal {ending['signal']}"
    if ending.get("exit_code") == 0:
        return "COMPLETED", Reason.NONE, ""
    said = ending.get("message") or f"it ended with exit code {ending.get('exit_code')}"
    return "FAILED", Reason.EXIT_CODE, str(said)
