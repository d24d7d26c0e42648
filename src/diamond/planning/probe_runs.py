"""Probe runs: what is wanted of them, when one has told enough, which may start next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from diamond.core.errors import BadRequest
from diamond.planning.scaling import Goal
from diamond.planning.step_times import Measured, Point, measure

LEAST_PACES = 3
LEAST_SECONDS = 2.0
"""Steps of milliseconds are measured for this long: so few of them would tell about chance."""
DEFAULT_FLOOR = 0.7


class ProbeState(StrEnum):
    WAITING = "waiting"
    """Its turn has not come."""
    RUNNING = "running"
    """Its task is on the way, in the queue or at work."""
    MEASURED = "measured"
    FAILED = "failed"
    """It told no pace; its words say why."""
    SKIPPED = "skipped"
    """It was never started; its words say why."""


OPEN = (ProbeState.WAITING.value, ProbeState.RUNNING.value)


@dataclass(frozen=True)
class Judged:
    state: ProbeState
    measured: Measured
    words: str = ""


def parse_goal(text: str) -> tuple[Goal, float]:
    """Reads soonest, cheapest, efficiency or efficiency:0.7; gives the floor too."""
    word, _, floor = text.partition(":")
    try:
        goal = Goal(word)
        share = float(floor) if floor else DEFAULT_FLOOR
    except ValueError:
        raise _no_goal(text) from None
    if not 0 < share <= 1 or (floor and goal is not Goal.EFFICIENCY):
        raise _no_goal(text)
    return goal, share


def judge(points: Sequence[Point], wanted_steps: int, *, has_ended: bool, why: str) -> Judged:
    """What a probe's steps tell; one whose program has ended is taken at what it told, if that is anything."""
    seen = measure(points)
    if seen.steps >= wanted_steps and is_steady(seen):
        return Judged(ProbeState.MEASURED, seen)
    if not has_ended:
        return Judged(ProbeState.RUNNING, seen)
    if len(seen.paces) >= LEAST_PACES:
        return Judged(ProbeState.MEASURED, seen, f"ended after {seen.steps:.0f} steps")
    told = f"it told {len(points)} steps, too few to tell a pace"
    return Judged(ProbeState.FAILED, seen, "; ".join(word for word in (why, told) if word))


def is_steady(seen: Measured) -> bool:
    return len(seen.paces) >= LEAST_PACES and seen.seconds >= LEAST_SECONDS


def startable(states: Sequence[str], *, together: bool) -> list[int]:
    """Which of the waiting probes may start: one at a time, as two on one machine would measure each other."""
    waiting = [n for n, state in enumerate(states) if state == ProbeState.WAITING.value]
    if together:
        return waiting
    return [] if ProbeState.RUNNING.value in states else waiting[:1]


def _no_goal(text: str) -> BadRequest:
    return BadRequest(
        f"{text!r} is no goal", "Goals: soonest, cheapest, or an efficiency such as efficiency:0.7."
    )
