"""What a step in a task's life asks for; who carries it out is not known here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Tuple, Union

from diamond.core.events import Event
from diamond.core.task import Reason, Task


@dataclass(frozen=True)
class Recorded:
    """The event changed nothing; keep it in the task's history."""

    event: Event
    why: str = ""


@dataclass(frozen=True)
class SendCancel:
    """Tell the agent to end the attempt."""

    attempt: str
    grace: int = 0


@dataclass(frozen=True)
class NextAttempt:
    """Submit attempt `number`, resuming from the newest checkpoint."""

    number: int


@dataclass(frozen=True)
class FollowUpTakes:
    """The attempt `ended`, for `reason`; the follow-up that the agent has already is the present one now."""

    ended: str
    reason: Reason


Action = Union[Recorded, SendCancel, NextAttempt, FollowUpTakes]
Step = Tuple[Task, List[Action]]
