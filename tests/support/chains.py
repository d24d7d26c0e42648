"""Chains of attempts that a test queues ahead when it wants, not when the planner does."""

from __future__ import annotations

import json

from support.stack import Stack
from support.waiting import wait_for

NEVER = 100_000.0
"""With a hand-over this long, a follow-up with nodes always waits."""


def queue_ahead(
    stack: Stack, task: str, *, hand_over_seconds: float = NEVER, **more: float
) -> None:
    """As if the planner had decided to queue the next attempt now, and no further one."""
    wait_for(lambda: granted(stack, task), what="message on how far the chain may continue")
    number = len(stack.task(task)["attempts"]) + 1
    grant = {
        "until": number,
        "queue_after_seconds": 0,
        "hand_over_seconds": hand_over_seconds,
        **more,
    }
    (stack.work / "tasks" / task / "chain.json").write_text(json.dumps(grant))


def granted(stack: Stack, task: str) -> bool:
    """After the message that is sent when the first attempt starts, so that it does not overwrite the test's own."""
    try:
        grant = json.loads((stack.work / "tasks" / task / "chain.json").read_text())
    except (OSError, ValueError):
        return False
    return "hand_over_seconds" in grant
