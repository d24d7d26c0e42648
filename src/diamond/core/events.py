"""What can be learned about a task. Each event names its attempt; all may come late, twice or out of order."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Dict, Optional, Type

CLEANED = "cleaned"
"""The code of a note: the run directory of an ended task is no longer there."""
STOP_FLAG = "stop-flag"
"""The code of a note: a running program got the stop flag, and is killed soon."""


@dataclass(frozen=True)
class Event:
    """`at` is seconds since the epoch on the service's clock."""

    at: float = 0.0
    attempt: str = ""


@dataclass(frozen=True)
class Staging(Event):
    """The agent is making things ready. `what`: code, environment, data."""

    what: str = ""
    message: str = ""


@dataclass(frozen=True)
class PrepareFailed(Event):
    """Nothing was queued, and nothing will be: `reason` is a Reason value."""

    reason: str = ""
    message: str = ""


@dataclass(frozen=True)
class Held(Event):
    """Kept back by Diamond, for `reason`."""

    reason: str = ""
    message: str = ""


@dataclass(frozen=True)
class Submitted(Event):
    """The batch system has it."""

    native_id: str = ""
    script: str = ""
    """Digest of the batch script."""


@dataclass(frozen=True)
class AttemptKnown(Event):
    """The agent has an attempt of this number, under the id in `attempt`: one of its own making, or made before."""

    number: int = 1


@dataclass(frozen=True)
class Started(Event):
    """The batch script of run `run` holds the claim and starts the program."""

    run: int = 1
    native_id: str = ""
    node: str = ""


@dataclass(frozen=True)
class Arrived(Event):
    """A follow-up has its nodes and waits there for the end of the attempt before it."""

    native_id: str = ""
    node: str = ""


@dataclass(frozen=True)
class Progressed(Event):
    """How far the attempt has come, reported before its end. See `task.Reached`."""

    checkpoint: str = ""
    modified: float = 0.0
    step: int = -1


@dataclass(frozen=True)
class Exited(Event):
    """The exit file of run `run`. A shell's 128+n for signal n is already split.

    Of several ranks, `message` names the one whose doing it was; `reason` is a Reason value then.
    """

    run: int = 1
    exit_code: int = 0
    signal: Optional[int] = None
    reason: str = ""
    message: str = ""


@dataclass(frozen=True)
class Observed(Event):
    """The batch system's word. `status`: queued, running, suspended, completing, ended, unknown.

    For `ended`, `reason` is a Reason value ('' for a normal end) and `exit_code`/`signal` what it recorded.
    `restarts` is how often the site had requeued the job by then; -1: not known. `limit_seconds` is the job's time
    limit as it stands now; 0: not known.
    """

    status: str = "unknown"
    native_state: str = ""
    native_id: str = ""
    run: int = 0
    reason: str = ""
    exit_code: Optional[int] = None
    signal: Optional[int] = None
    message: str = ""
    held: bool = False
    restarts: int = -1
    limit_seconds: float = 0.0


@dataclass(frozen=True)
class NoWord(Event):
    """The batch system gave no word on an ending for the stated grace; the exit file stands alone."""


@dataclass(frozen=True)
class Lost(Event):
    """No claim, no exit file and no trace in the batch system for the stated grace."""

    message: str = ""


@dataclass(frozen=True)
class Gone(Event):
    """The agent has made sure that nothing of the attempt runs or will run (answer to a cancel)."""

    message: str = ""


@dataclass(frozen=True)
class Note(Event):
    """Something a person should know that changes no state (a duplicate turned away, metrics thinned)."""

    message: str = ""
    code: str = ""


@dataclass(frozen=True)
class CancelAsked(Event):
    """A person wants the end. `delivered`: whether the agent may already have the attempt."""

    delivered: bool = True
    by: str = ""
    grace: int = 0
    """Seconds between the stop flag and the kill; 0: end it as the batch system does."""


@dataclass(frozen=True)
class NotAllowed(Event):
    """The service may not begin the next attempt. `ask`: a person may allow it; else the task ends for `reason`."""

    reason: str = ""
    message: str = ""
    ask: bool = False


@dataclass(frozen=True)
class Allowed(Event):
    """A person allows a task that asks to continue."""

    by: str = ""


EVENT_TYPES: Dict[str, Type[Event]] = {
    "staging": Staging,
    "prepare-failed": PrepareFailed,
    "held": Held,
    "submitted": Submitted,
    "attempt-known": AttemptKnown,
    "started": Started,
    "arrived": Arrived,
    "progressed": Progressed,
    "exited": Exited,
    "observed": Observed,
    "no-word": NoWord,
    "lost": Lost,
    "gone": Gone,
    "note": Note,
}


def event_from(data: Dict[str, Any]) -> Event:
    """An event from its JSON form; an unknown type becomes a Note, unknown fields are dropped."""
    cls = EVENT_TYPES.get(str(data.get("type")))
    if cls is None:
        return Note(
            at=float(data.get("at", 0)),
            attempt=str(data.get("attempt", "")),
            message=f"unknown event {data.get('type')!r}",
            code="unknown-event",
        )
    known = {f.name for f in fields(cls)}
    return cls(**{key: value for key, value in data.items() if key in known})


def event_data(event: Event) -> Dict[str, Any]:
    """The JSON form of an event."""
    names = {cls: name for name, cls in EVENT_TYPES.items()}
    return {"type": names[type(event)], **{f.name: getattr(event, f.name) for f in fields(event)}}
