"""Facts in words."""

from __future__ import annotations

import signal as signals
import time
from typing import Any

from diamond.cli.output import count
from diamond.core.task import Reason
from diamond.core.units import show_bytes, show_minutes
from diamond.core.words import reason_words
from diamond.sdk.models import Endpoint, Task

SHORT_ID = 8

STATES_OF_ENDPOINTS = {
    "sign-in": "needs you to sign in",
    "pairing": "waits to be paired",
    "confirming": "waits for your confirmation",
}
PHASES = {
    "staging": "code and data travel",
    "building": "the environment is being made",
    "probing": "short runs find out how many nodes it is worth",
    "queued": "waiting for its turn",
    "held": "held back",
    "suspended": "paused by the site",
    "ending": "the program has ended; how it ended is being confirmed",
    "cancelling": "being cancelled",
    "between-attempts": "one attempt ended, the next is on its way",
    "asking": "it could go on, and waits for you to allow it",
}
OUTLIVED = (Reason.WALL_TIME, Reason.NODE_LOST, Reason.PREEMPTED)
"""Endings that a chain outlives if `continue: on` names them."""
FROM_CHECKPOINT = "Go on from its checkpoint: diamond resume {id}. So that it goes on by itself: {by_itself} in the spec"
NEXT_STEPS = {
    Reason.WALL_TIME: "Ask for more time (--time), or let a next attempt go on: {by_itself} in the spec",
    Reason.OUT_OF_MEMORY: "Ask for more memory: diamond run … --memory 16GB",
    Reason.CONTINUE_LIMIT: "Go on where it stopped: diamond resume {id}",
    Reason.DEPENDENCY: "See why that task ended, and run this one again: diamond retry {id}",
    Reason.PROBES: "Name a number of nodes in the spec, and run it again: diamond run",
    Reason.BUDGET: "Go on where it stopped: diamond resume {id} --budget '50 node-hours'",
    Reason.NO_PROGRESS: "Read why: diamond logs {id}. Go on where it stopped: diamond resume {id}",
    Reason.DEADLINE: "Ask for less time (--time), and run it again.",
    Reason.ENVIRONMENT: "Edit `environment` in the spec, and run it again: diamond run",
    Reason.DATA: "Edit `data` in the spec, and run it again: diamond run",
    Reason.CODE: "Edit `code` in the spec, and run it again: diamond run",
    Reason.REFUSED: "Edit what it names in the spec (partition, account, time), and run it again: diamond run",
    Reason.NODE_LOST: "Try again: diamond retry {id}",
    Reason.PREEMPTED: "Try again: diamond retry {id}",
    Reason.EXIT_CODE: "Read what it said: diamond logs {id} --stderr",
    Reason.SIGNAL: "Read what it said: diamond logs {id} --stderr",
    Reason.HUNG: "Read what its ranks said: diamond logs {id} --stderr",
    Reason.SECRET: "Set it: diamond secret set NAME --on {endpoint}",
    Reason.DISK: "Make room: diamond clean --on {endpoint}",
}


def short(identifier: str) -> str:
    """Enough of an id to type it back."""
    return identifier[:SHORT_ID]


def age(then: float | None, now: float | None = None) -> str:
    """3 min ago."""
    if not then:
        return ""
    seconds = (time.time() if now is None else now) - then
    return "just now" if seconds < 5 else f"{span(seconds)} ago"


def span(seconds: float) -> str:
    """42 s, 3 min, 2.5 h, 4 days."""
    if seconds < 90:
        return f"{max(seconds, 0):.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    if seconds < 36 * 3600:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / 86400:.0f} days"


def amount(number: float) -> str:
    """Of node-hours and the like; no powers of ten where it is small."""
    return "under 0.001" if 0 < number < 0.001 else f"{number:.4g}"


def clock(then: float | None) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(then)) if then else "-"


def why(task: Task) -> str:
    """What a table says beside the state: a detail, or why it waits or ended."""
    if task.message and task.state != "succeeded":
        return task.message
    if task.state == "failed" and task.reason == Reason.EXIT_CODE.value:
        return f"exit code {task.exit_code}"
    if task.reason:
        return reason_words(task.reason)
    return PHASES.get(task.phase, "")


def state_sentence(task: Task, now: float | None = None) -> str:
    """Running for 3 min on node7; `now` is when that was true."""
    if task.is_final:
        return f"{task.state} {age(task.ended)}".strip()
    if task.state == "running" and task.started and not task.cancel_requested:
        place = f" on {task.node}" if task.node else ""
        return f"running for {span((now or time.time()) - task.started)}{place}"
    return stage_words(task)


def stage_words(task: Task) -> str:
    """Where a task is on its way, without a clock."""
    if task.cancel_requested:
        return f"{task.state}, being cancelled"
    phase = "" if task.state == "running" else PHASES.get(task.phase)
    return f"{task.state}: {phase}" if phase else task.state


def resource_words(asked: dict[str, Any]) -> str:
    """1 node, 2 CPUs, 4.0 GB, 1h."""
    words = [count(int(asked.get("nodes") or 1), "node")]
    tasks = int(asked.get("tasks_per_node") or 1)
    words += [f"{tasks} processes per node"] if tasks > 1 else []
    words.append(count(int(asked.get("cpus_per_task") or 1), "CPU"))
    if gpus := int(asked.get("gpus_per_node") or 0):
        kind = f"{asked.get('gpu_type') or ''} GPU".strip()
        words.append(f"{count(gpus, kind)} per node")
    if memory := int(asked.get("memory_mb") or 0):
        words.append(show_bytes(memory * 2**20))
    return ", ".join([*words, show_minutes(int(asked.get("walltime_minutes") or 60))])


def endpoint_state(state: str) -> str:
    """Online, offline, or what it needs of its owner."""
    return STATES_OF_ENDPOINTS.get(state, state)


def ending_words(task: Task) -> str:
    """One line for a task that has ended."""
    if task.state != "failed":
        return "It succeeded." if task.state == "succeeded" else "It was cancelled."
    if task.signal and not task.message:
        return f"It failed: killed by signal {task.signal} ({signal_name(task.signal)})"
    return f"It failed: {why(task)}"


def signal_name(number: int) -> str:
    try:
        return signals.Signals(number).name
    except ValueError:
        return "unknown"


def next_step(task: Task) -> str:
    """What a person would do now; empty when there is nothing."""
    if task.state == "succeeded" and task.cleaned:
        return ""
    if task.state == "succeeded":
        return f"See its files: diamond files {short(task.id)}"
    if task.state == "failed" and task.kind == "build":
        return f"See which step, and what to try: diamond image show {short(task.id)}"
    if task.chain.get("asks"):
        return f"Let it go on: diamond resume {short(task.id)}, or with --budget up to a ceiling"
    if not task.is_final:
        return f"Follow it: diamond logs -f {short(task.id)}"
    return _step_after(task).format(
        id=short(task.id), endpoint=task.endpoint, by_itself=_continue_words(task)
    )


def _step_after(task: Task) -> str:
    again = "Try again: diamond retry {id}"
    try:
        reason = Reason(task.reason)
    except ValueError:
        return again
    if reason in OUTLIVED and task.chain.get("may_resume") and task.chain.get("checkpoint"):
        return FROM_CHECKPOINT
    return NEXT_STEPS.get(reason, again)


def _continue_words(task: Task) -> str:
    """What the spec would say of an ending that its chain had outlived then."""
    named = ((task.raw.get("order") or {}).get("resume") or {}).get("on") or ["exit-75"]
    return f"`continue: {{on: [{', '.join([*named, task.reason])}]}}`"


def endpoint_step(endpoint: Endpoint) -> str:
    """How to get an endpoint to work; empty when it does."""
    if endpoint.state == "online":
        return ""
    if endpoint.state == "confirming":
        return f"Confirm it: diamond endpoint confirm {endpoint.name}"
    if endpoint.state == "pairing":
        return f"Pair it: diamond endpoint add {endpoint.name}"
    return endpoint.revive or f"diamond endpoint connect {endpoint.name}"


def waited(history: list[dict[str, Any]]) -> list[str]:
    """Each reason for waiting that the history names, once, with since when."""
    lines: list[str] = []
    last = ""
    for event in history:
        words = _waiting_words(event)
        if words and words != last:
            lines.append(f"{clock(event.get('at'))}  {words}")
            last = words
    return lines


def _waiting_words(event: dict[str, Any]) -> str:
    data = event.get("data") or {}
    if event.get("type") == "held":
        return str(event.get("message") or reason_words(str(data.get("reason", ""))))
    if event.get("type") == "staging":
        return str(event.get("message") or f"making ready: {data.get('what', '')}")
    if event.get("type") == "observed" and data.get("status") in ("queued", "suspended"):
        native = str(data.get("native_state", ""))
        return str(event.get("message") or f"the batch system says {native}")
    return ""
