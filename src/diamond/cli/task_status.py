"""The state of a task as text: where it is, why it waits, how it ended, and what to do next."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Mapping
from typing import Any

from diamond.cli.dependency_format import waiting_progress
from diamond.cli.format import duration, short_id, signal_name, time_ago, timestamp
from diamond.core.errors import DiamondError
from diamond.core.task import Reason
from diamond.core.words import reason_words
from diamond.sdk.client import Client
from diamond.sdk.models import Task

PHASES = {
    "staging": "transferring code and data",
    "building": "preparing the environment",
    "probing": "short runs are finding the best node count",
    "queued": "waiting in the queue",
    "held": "on hold",
    "suspended": "paused by the site",
    "ending": "the program has ended; confirming the result",
    "cancelling": "being cancelled",
    "between-attempts": "preparing the next attempt",
    "asking": "waiting for you to allow more attempts",
}
CONTINUABLE = (Reason.WALL_TIME, Reason.NODE_LOST, Reason.PREEMPTED)
"""Endings after which a chain continues if `continue: on` names them."""
RESUME_FROM_CHECKPOINT = "Continue from its checkpoint: diamond resume {id}. To continue automatically, put {automatically} in the spec"
NEXT_STEPS = {
    Reason.WALL_TIME: "Request more time (--time), or continue automatically with {automatically} in the spec",
    Reason.OUT_OF_MEMORY: "Request more memory: diamond run … --memory 16GB",
    Reason.CONTINUE_LIMIT: "Continue where it stopped: diamond resume {id}",
    Reason.DEPENDENCY: "See why that task ended, then run this one again: diamond retry {id}",
    Reason.PROBES: "Set a node count in the spec and run it again: diamond run",
    Reason.BUDGET: "Continue where it stopped: diamond resume {id} --budget '50 node-hours'",
    Reason.NO_PROGRESS: "See why: diamond logs {id}. Continue where it stopped: diamond resume {id}",
    Reason.DEADLINE: "Request less time (--time) and run it again.",
    Reason.ENVIRONMENT: "Edit `environment` in the spec and run it again: diamond run",
    Reason.DATA: "Edit `data` in the spec and run it again: diamond run",
    Reason.CODE: "Edit `code` in the spec and run it again: diamond run",
    Reason.REFUSED: "Edit what the message names (partition, account, time) in the spec and run it again: diamond run",
    Reason.NODE_LOST: "Try again: diamond retry {id}",
    Reason.PREEMPTED: "Try again: diamond retry {id}",
    Reason.EXIT_CODE: "Read its error output: diamond logs {id} --stderr",
    Reason.SIGNAL: "Read its error output: diamond logs {id} --stderr",
    Reason.HUNG: "Read the error output of its ranks: diamond logs {id} --stderr",
    Reason.SECRET: "Set it: diamond secret set NAME --on {endpoint}",
    Reason.DISK: "Free some space: diamond clean --on {endpoint}",
}


REASON_WIDTH = 100


def short_reason(task: Task) -> str:
    """A detail for tables: why the task waits or how it ended. `diamond show` prints all of it."""
    if task.message and task.state != "succeeded":
        far = waiting_progress(task.raw)
        text = f"{far}: {task.message}" if far else task.message
        return textwrap.shorten(text, REASON_WIDTH, placeholder=" …")
    if task.state == "failed" and task.reason == Reason.EXIT_CODE.value:
        return f"exit code {task.exit_code}"
    if task.reason:
        return reason_words(task.reason)
    return PHASES.get(task.phase, "")


def describe_state(task: Task, now: float | None = None) -> str:
    """For example: running for 3 min on node7. `now` is when that was known."""
    if task.is_final:
        return f"{task.state} {time_ago(task.ended)}".strip()
    if task.state == "running" and task.started and not task.cancel_requested:
        where = f" on {task.node}" if task.node else ""
        return f"running for {duration((now or time.time()) - task.started)}{where}"
    return describe_stage(task)


def describe_stage(task: Task) -> str:
    """State and phase, without times."""
    if task.cancel_requested:
        return f"{task.state}, being cancelled"
    phase = "" if task.state == "running" else PHASES.get(task.phase)
    return f"{task.state}: {phase}" if phase else task.state


def describe_ending(task: Task) -> str:
    """One line for a task that has ended."""
    if task.state != "failed":
        return "The task succeeded." if task.state == "succeeded" else "The task was cancelled."
    if task.signal and not task.message:
        return f"The task failed: killed by signal {task.signal} ({signal_name(task.signal)})"
    return f"The task failed: {short_reason(task)}"


def next_step(task: Task) -> str:
    """What the user can do now; empty if there is nothing."""
    if task.state == "succeeded" and task.cleaned:
        return ""
    if task.state == "succeeded":
        return f"See its files: diamond files {short_id(task.id)}"
    if task.state == "failed" and task.kind == "build":
        return f"See the failed step: diamond image show {short_id(task.id)}"
    if task.chain.get("asks"):
        return (
            f"Continue it: diamond resume {short_id(task.id)}, or set a limit with --budget as well"
        )
    if not task.is_final:
        return f"Follow it: diamond logs -f {short_id(task.id)}"
    return _step_after(task).format(
        id=short_id(task.id), endpoint=task.endpoint, automatically=_continue_field(task)
    )


def read_diagnosis(client: Client, task: Task) -> Mapping[str, Any]:
    """Why it failed, as far as the service knows; nothing while it runs, or from a service that does not answer."""
    if not task.is_final or task.state == "succeeded":
        return {}
    try:
        return client.diagnosis(task.id)
    except DiamondError:
        return {}


def diagnosis_lines(diagnosis: Mapping[str, Any]) -> list[str]:
    """What the service knows about a failure: what happened, and what to do."""
    return [line for line in (diagnosis.get("title"), diagnosis.get("hint")) if line]


def fix_step(task: Task, diagnosis: Mapping[str, Any]) -> str:
    """The one command that changes the spec and runs it again; empty if none is known."""
    fix = diagnosis.get("fix") or {}
    return f"{fix['label']}: diamond fix {short_id(task.id)}" if fix else ""


def resume_warning(task: Task) -> str:
    """For a task that left nothing to start from; empty if it did, or has not ended."""
    if not task.is_final or task.chain.get("checkpoint"):
        return ""
    return (
        "Warning: no checkpoint of this task is known, so it starts from the beginning, unless the program finds one in "
        "its run directory by itself. Name its checkpoints in the spec: `continue: {from: 'ckpt/*.pt'}`"
    )


def _step_after(task: Task) -> str:
    retry = "Try again: diamond retry {id}"
    try:
        reason = Reason(task.reason)
    except ValueError:
        return retry
    if reason in CONTINUABLE and task.chain.get("may_resume") and task.chain.get("checkpoint"):
        return RESUME_FROM_CHECKPOINT
    return NEXT_STEPS.get(reason, retry)


def _continue_field(task: Task) -> str:
    """The `continue` field with which the chain would have continued after this ending."""
    named = ((task.raw.get("order") or {}).get("resume") or {}).get("on") or ["exit-75"]
    return f"`continue: {{on: [{', '.join([*named, task.reason])}]}}`"


def waiting_reasons(history: list[dict[str, Any]]) -> list[str]:
    """Each reason for waiting in the history, once, with its time."""
    lines: list[str] = []
    last = ""
    for event in history:
        reason = _waiting_reason(event)
        if reason and reason != last:
            lines.append(f"{timestamp(event.get('at'))}  {reason}")
            last = reason
    return lines


def _waiting_reason(event: dict[str, Any]) -> str:
    data = event.get("data") or {}
    if event.get("type") == "held":
        return str(event.get("message") or reason_words(str(data.get("reason", ""))))
    if event.get("type") == "staging":
        return str(event.get("message") or f"preparing: {data.get('what', '')}")
    if event.get("type") == "observed" and data.get("status") in ("queued", "suspended"):
        native = str(data.get("native_state", ""))
        return str(event.get("message") or f"the batch system reports {native}")
    return ""
