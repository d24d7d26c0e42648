"""What a task is and the words for its condition."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import FrozenSet, Optional

CONTINUE_EXIT_CODE = 75
"""By which a program asks to continue."""


class State(str, Enum):
    PREPARING = "preparing"
    """Code, environment or data are being made ready."""
    PENDING = "pending"
    """In a queue: the batch system's, or Diamond's own."""
    RUNNING = "running"
    """The program was started and has not been seen to end."""
    SUCCEEDED = "succeeded"
    """The program ended with exit code 0."""
    FAILED = "failed"
    """It ended otherwise; `reason` says how."""
    CANCELLED = "cancelled"
    """A person ended it."""


FINAL_STATES = frozenset({State.SUCCEEDED, State.FAILED, State.CANCELLED})
FINAL_WORDS = frozenset(state.value for state in FINAL_STATES)


class Phase(str, Enum):
    NONE = ""
    STAGING = "staging"
    """Code and data are transferred."""
    BUILDING = "building"
    """The environment is being made."""
    PROBING = "probing"
    """Short runs find out how many nodes it is worth; it is submitted after them."""
    QUEUED = "queued"
    """The batch system has it."""
    HELD = "held"
    """Diamond or the site keeps it back; the message says why."""
    SUSPENDED = "suspended"
    """The site has paused it."""
    ENDING = "ending"
    """The program ended with an error; the batch system's word is awaited."""
    CANCELLING = "cancelling"
    """A person asked for the end; it is not confirmed yet."""
    BETWEEN_ATTEMPTS = "between-attempts"
    """One attempt ended, the next is on its way."""
    ASKING = "asking"
    """It could go on with another attempt, and waits for its person to allow it."""


class Reason(str, Enum):
    NONE = ""
    EXIT_CODE = "exit-code"
    """The program ended with a code other than 0."""
    SIGNAL = "signal"
    """The program was killed by a signal that neither Diamond nor the site is known to have sent."""
    WALL_TIME = "wall-time"
    """The time limit of the batch job was reached."""
    OUT_OF_MEMORY = "out-of-memory"
    NODE_LOST = "node-lost"
    """A node failed or could not start the job."""
    PREEMPTED = "preempted"
    """The site took the nodes for other work."""
    BY_PERSON = "by-person"
    """Cancelled through Diamond."""
    BY_SITE = "by-site"
    """Cancelled in the batch system, not through Diamond."""
    SITE_LIMIT = "site-limit"
    """The site's queue limit is reached; Diamond submits the rest in order."""
    REFUSED = "refused"
    """The batch system rejected the job."""
    ENVIRONMENT = "environment"
    """The environment could not be made."""
    CODE = "code"
    """The code could not be brought to the machine."""
    DATA = "data"
    """A data path is not there."""
    SECRET = "secret"
    """A secret is not set on the endpoint."""
    DISK = "disk"
    """No room, or no right to write, where the task must run."""
    DEADLINE = "deadline"
    """The batch system could not have finished it before its deadline."""
    CONTINUE_LIMIT = "continue-limit"
    """It asked to be continued more often than allowed."""
    LOST = "lost"
    """Neither the batch system nor the run directory knows how it ended."""
    HUNG = "hung"
    """Its ranks logged no step for far longer than before, and Diamond ended it."""
    PROBES = "probes"
    """The probe runs for `nodes: auto` gave no node count."""
    DEPENDENCY = "dependency"
    """A task that it waits for did not succeed."""
    POLICY = "policy"
    """The machine's own policy, or the end of its pairing, does not let it run there."""
    BUDGET = "budget"
    """The next attempt, or a further run of this one, could have exceeded the budget."""
    NO_PROGRESS = "no-progress"
    """Two attempts in a row left no newer checkpoint and logged no higher step."""
    PILOT_CLOSED = "pilot-closed"
    """Its pilot took no more work: it can run in another one."""
    WITHDRAWN = "withdrawn"
    """A follow-up that was not needed; only ever the reason of an attempt."""


RESUMABLE = frozenset(
    {
        Reason.BUDGET,
        Reason.NO_PROGRESS,
        Reason.CONTINUE_LIMIT,
        Reason.WALL_TIME,
        Reason.PREEMPTED,
        Reason.NODE_LOST,
        Reason.PILOT_CLOSED,
    }
)
"""Endings that say nothing against the program: a new task may continue where this one stopped."""


@dataclass(frozen=True)
class ContinuePolicy:
    """When a next attempt follows by itself. Exit code 75 always asks for one."""

    on: FrozenSet[str] = frozenset({"exit-75"})
    max_attempts: int = 4
    has_pattern: bool = False
    """Whether `from:` names checkpoints, so that their absence tells something."""


@dataclass(frozen=True)
class Reached:
    """How far a training has come, by its files: the newest match of `from:` and the highest step that it logged."""

    checkpoint: str = ""
    modified: float = 0.0
    """When that file was written, by its own file system; 0: there is none."""
    step: int = -1

    @property
    def is_known(self) -> bool:
        return self.modified > 0 or self.step >= 0

    def is_beyond(self, other: Reached) -> bool:
        return self.modified > other.modified or self.step > other.step

    def farthest(self, other: Reached) -> Reached:
        newest = self if self.modified >= other.modified else other
        return Reached(newest.checkpoint, newest.modified, max(self.step, other.step))


@dataclass(frozen=True)
class Attempt:
    """One batch-system job of a task."""

    id: str
    number: int = 1
    native_id: str = ""
    run: int = 0
    """The newest run that is known to have started; 0 before the first."""
    exit_code: Optional[int] = None
    """From the exit file of the newest run."""
    exit_run: int = 0
    reached: Reached = Reached()


@dataclass(frozen=True)
class Task:
    id: str
    state: State = State.PREPARING
    phase: Phase = Phase.NONE
    reason: Reason = Reason.NONE
    message: str = ""
    native_state: str = ""
    exit_code: Optional[int] = None
    signal: Optional[int] = None
    as_of: float = 0.0
    cancel_requested: bool = False
    attempt: Attempt = field(default_factory=lambda: Attempt(id=""))
    policy: ContinuePolicy = field(default_factory=ContinuePolicy)
    follow_up: Optional[Attempt] = None
    """Queued before the present attempt has ended; its program starts only after that."""
    reached: Reached = Reached()
    """By the attempts before the present one."""
    stalled: int = 0
    """How many attempts in a row came no further."""
    ended: int = 0
    """How many attempts came before the present one; follow-ups that never began do not count."""
    numbered: int = 0
    """The highest number that any attempt of it has had; follow-ups that were given back keep theirs."""

    @property
    def is_final(self) -> bool:
        return self.state in FINAL_STATES
