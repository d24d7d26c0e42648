"""Probe runs: their goal, when one has measured enough, and which may start next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from diamond.core.errors import BadRequest
from diamond.planning.scaling import Goal
from diamond.planning.step_times import PaceMeasurement, Point, measure_pace

LEAST_PACES = 3
LEAST_SECONDS = 2.0
"""Very short steps are measured for at least this long, or the result would be noise."""
DEFAULT_FLOOR = 0.7


class ProbeState(StrEnum):
    WAITING = "waiting"
    """Not started yet."""
    RUNNING = "running"
    """Its task is being prepared, queued or running."""
    MEASURED = "measured"
    FAILED = "failed"
    """No pace could be measured; `words` says why."""
    SKIPPED = "skipped"
    """Never started; `words` says why."""


OPEN = (ProbeState.WAITING.value, ProbeState.RUNNING.value)


@dataclass(frozen=True)
class ProbeVerdict:
    state: ProbeState
    measured: PaceMeasurement
    words: str = ""


def parse_goal(text: str) -> tuple[Goal, float]:
    """Reads soonest, cheapest, efficiency or efficiency:0.7; returns the goal and the efficiency floor."""
    word, _, floor = text.partition(":")
    try:
        goal = Goal(word)
        share = float(floor) if floor else DEFAULT_FLOOR
    except ValueError:
        raise _unknown_goal(text) from None
    if not 0 < share <= 1 or (floor and goal is not Goal.EFFICIENCY):
        raise _unknown_goal(text)
    return goal, share


def judge_probe(
    points: Sequence[Point], wanted_steps: int, *, has_ended: bool, why: str
) -> ProbeVerdict:
    """The verdict from a probe's logged steps. If its program has ended early, a few steps are enough."""
    seen = measure_pace(points)
    if seen.steps >= wanted_steps and is_steady(seen):
        return ProbeVerdict(ProbeState.MEASURED, seen)
    if not has_ended:
        return ProbeVerdict(ProbeState.RUNNING, seen)
    if len(seen.paces) >= LEAST_PACES:
        return ProbeVerdict(ProbeState.MEASURED, seen, f"ended after {seen.steps:.0f} steps")
    too_few = f"it logged {len(points)} steps, too few to measure a pace"
    return ProbeVerdict(ProbeState.FAILED, seen, "; ".join(part for part in (why, too_few) if part))


def is_steady(seen: PaceMeasurement) -> bool:
    return len(seen.paces) >= LEAST_PACES and seen.seconds >= LEAST_SECONDS


def startable_probes(states: Sequence[str], *, together: bool) -> list[int]:
    """Indexes of the waiting probes that may start: one at a time, because two on one machine slow each other down."""
    waiting = [n for n, state in enumerate(states) if state == ProbeState.WAITING.value]
    if together:
        return waiting
    return [] if ProbeState.RUNNING.value in states else waiting[:1]


def _unknown_goal(text: str) -> BadRequest:
    return BadRequest(
        f"{text!r} is not a goal",
        "Goals: soonest, cheapest, or an efficiency such as efficiency:0.7.",
    )
