"""The pace of submissions, and their steps: what tests change about an agent is handed in here at its start."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial


def _pass_by(_step: str) -> None:
    """Nothing happens at a step."""


@dataclass(frozen=True)
class Pace:
    grace_seconds: float = 20.0
    """Between the first negative answer about an uncertain submission and the next try."""
    questions_per_minute: float | None = None
    """Questions to the batch system, in place of the service's word."""
    reached: Callable[[str], None] = _pass_by
    """Called when a step of a submission is done."""


def pace_of(environment: Mapping[str, str]) -> Pace:
    """The usual pace, unless a test wants another, or the agent's death at a step."""
    grace, questions = (environment.get(f"DIAMOND_TEST_{name}") for name in ("GRACE", "QUESTIONS"))
    doomed = environment.get("DIAMOND_TEST_DIE_AT")
    return Pace(
        grace_seconds=float(grace) if grace else Pace.grace_seconds,
        questions_per_minute=float(questions) if questions else None,
        reached=partial(_die_at, doomed) if doomed else _pass_by,
    )


def _die_at(doomed: str, step: str) -> None:
    """As by `kill -9`."""
    if step == doomed:
        os.kill(os.getpid(), signal.SIGKILL)
