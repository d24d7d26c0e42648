"""What the agent knows about an attempt: one frozen value, changed by `replace`, rebuilt from its folder at any time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, Optional

from diamond.core.events import Event
from diamond.core.native import NativeStatus, node_names
from diamond.core.order import Continue
from diamond.core.protocol import StudyShare
from diamond.core.task import Reached

GO, STOP = "go", "stop"
"""What follows from the end of an attempt: another one, or the end of the task."""


class AttemptPhase(Enum):
    STAGING = "staging"
    READY = "ready"
    """Staged; it waits for its submission."""
    SUBMITTED = "submitted"
    ENDED = "ended"
    """It ended before the batch system had it."""
    UNLOADED = "unloaded"
    """Only its files are known: it was closed, or is not loaded yet."""


@dataclass(frozen=True)
class Standing:
    """How far a task has come, and by how many attempts."""

    reached: Reached = field(default_factory=Reached)
    stalled: int = 0
    """Attempts in a row that came no further."""
    ended: int = 0


@dataclass(frozen=True)
class AttemptFiles:
    """What the files of an attempt showed when they were read for a decision about its chain."""

    is_cancelled: bool = False
    is_withdrawn: bool = False
    """A follow-up that was cancelled before its program began."""
    owner: str = ""
    """The id of the job that holds the claim."""
    is_barred: bool = False
    """No job of it can begin: a later attempt goes first."""
    has_failed: bool = False
    """It could not be prepared, or was rejected."""
    has_arrived: bool = False
    nodes: tuple[str, ...] = ()
    """Those on which a follow-up waits, as it wrote itself."""
    submitted_at: float = 0.0

    @property
    def may_begin(self) -> bool:
        return not (self.is_cancelled or self.is_barred or self.has_failed)


@dataclass(frozen=True)
class AttemptState:
    """All that is known about one attempt. Seconds are monotonic, unless they are `at` of an event."""

    task: str
    attempt: str
    number: int = 1
    after: str = ""
    """The attempt that this one follows, where the agent made it itself."""
    is_early: bool = False
    """Queued before its predecessor has ended; its program waits until then."""
    resume: Continue = field(default_factory=Continue)
    walltime_minutes: float = 0.0
    limit_seconds: float = 0.0
    """The time limit as the batch system has it now; 0: as asked."""
    partition: str = ""
    share: Optional[StudyShare] = None
    """Of a trial that waits here for its turn."""
    sequence: int = 0
    """Attempts are submitted in the order in which they were loaded."""
    phase: AttemptPhase = AttemptPhase.STAGING
    files: AttemptFiles = field(default_factory=AttemptFiles)

    facts: tuple[Event, ...] = ()
    """What was reported to the service, to be repeated to one that has forgotten it."""
    is_unannounced: bool = False
    """It waits behind others, and the service knows only of those."""
    is_confirmed: bool = False
    """The service has recorded the task's final state."""
    reached: Reached = field(default_factory=Reached)
    """As it was reported last."""

    native_id: str = ""
    run: int = 0
    """The newest run seen to have started."""
    starts: frozenset[int] = frozenset()
    exits: Mapping[int, int] = field(default_factory=dict)
    """Exit codes by run."""
    duplicates: frozenset[str] = frozenset()
    """Jobs that lost the claim to another job."""
    arrived: bool = False
    """A follow-up that waits on its nodes."""
    cancelled: bool = False
    cancel_asked_at: float | None = None
    kill_at: float | None = None
    """It was given the stop flag, and is killed at this time."""
    over: bool = False
    """Nothing more can be learned that matters."""
    over_at: float | None = None
    exit_at: float | None = None
    """When a code other than 0 of the newest run was seen."""
    reported_no_word: bool = False
    heard_since_exit: bool = False
    """The batch system answered after that, and named no end that may still come."""
    is_completing: bool = False
    """It answered after that that it clears up."""
    waits_long: bool = False
    """The answer has been awaited for longer than prompt questions are worth."""
    ended: NativeStatus | None = None
    ended_at: float = 0.0
    absent_since: float | None = None
    absent_last: float = 0.0
    reported: NativeStatus | None = None

    @property
    def is_active(self) -> bool:
        """The batch system has it, and its end is not known."""
        return self.phase is AttemptPhase.SUBMITTED and not self.over

    @property
    def is_over(self) -> bool:
        return self.phase is AttemptPhase.ENDED or self.over

    @property
    def is_open(self) -> bool:
        """It is loaded, and its end is not known."""
        return self.phase is not AttemptPhase.UNLOADED and not self.is_over

    @property
    def is_running(self) -> bool:
        return not self.over and self.run > 0 and self.run not in self.exits

    @property
    def is_patient(self) -> bool:
        """Whether another attempt follows or not by what the batch system says of the end."""
        return bool(set(self.resume.on) - {"exit-75"})

    @property
    def awaits_answer(self) -> bool:
        """A prompt question to the batch system would help somebody who waits."""
        awaited = self.cancelled or (self.exit_at is not None and not self.waits_long)
        return not self.over and awaited and not self.reported_no_word

    @property
    def asked_seconds(self) -> float:
        return self.limit_seconds or 60.0 * self.walltime_minutes

    @property
    def nodes(self) -> list[str]:
        """Those it has, by the last answer."""
        return node_names(self.reported.nodes) if self.reported is not None else []


class Outcome(NamedTuple):
    """What a fact changes: the next state, and the events that the service must learn."""

    state: AttemptState
    events: tuple[Event, ...] = ()
