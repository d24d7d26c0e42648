"""Chains of attempts that a test queues ahead at its own time, not at the planner's."""

from __future__ import annotations

import json

from support.stack import Stack
from support.waiting import wait_for

NEVER = 100_000.0
"""A hand-over that takes so long is never worth it: a follow-up with nodes waits."""


def queue_ahead(
    stack: Stack, task: str, *, hand_over_seconds: float = NEVER, **more: float
) -> None:
    """As if the planner had said of the next attempt, and of no further one: now."""
    wait_for(lambda: granted(stack, task), what="word on how far the chain may go")
    number = len(stack.task(task)["attempts"]) + 1
    grant = {
        "until": number,
        "queue_after_seconds": 0,
        "hand_over_seconds": hand_over_seconds,
        **more,
    }
    (stack.work / "tasks" / task / "chain.json").write_text(json.dumps(grant))


def granted(stack: Stack, task: str) -> bool:
    """By the word that is sent when the first attempt has started: nothing overwrites the test's own after it."""
    try:
        grant = json.loads((stack.work / "tasks" / task / "chain.json").read_text())
    except (OSError, ValueError):
        return False
    return "hand_over_seconds" in grant
