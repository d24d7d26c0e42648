"""The protocol of a batch system: what each adapter does, and the abilities that only some have."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import (
    Any,
    Collection,
    Dict,
    List,
    Mapping,
    Optional,
    Protocol,
    Sequence,
    runtime_checkable,
)

from diamond.core.batch_systems import BatchAbilities, ScriptVariables
from diamond.core.native import NativeStatus
from diamond.core.order import Placement, Resources


@dataclass(frozen=True)
class Submission:
    """One attempt, as a batch system is asked to run it."""

    name: str
    """Unique (never reused: `diamond-<attempt>`): how a submission is found again."""
    script: Path
    """Ready to run, with the lines of `directives` at its top."""
    folder: Path
    """The attempt's folder; the batch system's own output goes to `native.log` in it."""
    resources: Resources
    placement: Placement
    exclude: Sequence[str] = ()
    """Nodes that the attempt should not get; an adapter may know no way to say so."""
    comment: str = ""
    """For the site's accounting: whom it is for, on an account of several people."""


@dataclass(frozen=True)
class NativeTools:
    """Commands and variables of a batch system that concern an agent or a person, rather than a job."""

    job_variable: str = ""
    """Set in each of its jobs: by it an agent learns that it is a job itself."""
    crontab: str = ""
    """Its own `crontab`, where it has one, used in the same way."""
    submit_command: str = ""
    """What a person types in front of a script to submit it."""


class Scheduler(Protocol):
    """Speaks to one batch system on behalf of one account.

    An adapter only builds commands and reads answers; when to ask, retries and clean-up are written once,
    in the agent. Every command is an argument list, never a string for a shell.
    """

    name: str
    abilities: BatchAbilities
    """What callers decide by, instead of the name; a part of the site profile."""
    tools: NativeTools

    def directives(self, submission: Submission, flags: Mapping[str, str]) -> List[str]:
        """The lines at the top of the batch script; only flags that the site takes (profile fact `flags`)."""

    def submit(self, submission: Submission) -> str:
        """Queue a script and return its id; once this returns, the id survives a restart of the agent.

        Raises `Refused` when nothing was queued, with the site's own words; `Unanswered` when it may have been.
        """

    def find(self, name: str) -> Optional[str]:
        """The id of the submission of that name, also if it has ended; None when there is no trace. May raise `Unanswered`."""

    def status(self, ids: Collection[str]) -> Mapping[str, NativeStatus]:
        """One question for all ids; an id the system has forgotten is left out. Raises `Unanswered`."""

    def history(self, ids: Collection[str]) -> Mapping[str, NativeStatus]:
        """What the accounting knows of ids that `status` leaves out; empty where there is none. Raises `Unanswered`."""

    def cancel(self, native_id: str) -> None:
        """Ask for the end; asking twice, or too late, is fine. Raises `Unanswered`."""

    def probe(self) -> Dict[str, Dict[str, Any]]:
        """Facts for the site profile: {name: {"value", "source", "at"}}; what cannot be learned is left out."""

    def free(self) -> Dict[str, Any]:
        """The fact `free` alone, by one cheap question."""

    def script_variables(self) -> ScriptVariables:
        """How the batch script learns about its own job."""


@runtime_checkable
class RunsItsOwnQueue(Protocol):
    """An ability, asked for by `isinstance`: the adapter starts waiting jobs itself and must be asked to, often."""

    def advance(self) -> None:
        """Start what fits now, end what is over its time; cheap when there is nothing to do."""


@runtime_checkable
class KillsAtOnce(Protocol):
    """An ability, asked for by `isinstance`: all processes of a running job can be killed without the usual wait."""

    def kill(self, native_id: str) -> None:
        """Have everything in the job killed, now. Too late is fine; `cancel` follows. Raises `Unanswered`."""


@runtime_checkable
class LeavesOutNodes(Protocol):
    """An ability, asked for by `isinstance`: nodes can be excluded from a job that is already in the queue."""

    def leave_out(self, native_id: str, submission: Submission, flags: Mapping[str, str]) -> None:
        """Give it the list of the submission as it would be queued now; one that has nodes keeps them. Raises `Unanswered`."""


@dataclass(frozen=True)
class InsideJob:
    """How a command is started inside a running job: an argument list and its whole environment."""

    words: Sequence[str]
    environment: Mapping[str, str]


@runtime_checkable
class OpensShells(Protocol):
    """An ability, asked for by `isinstance`: one more command can be started inside a running job."""

    def inside_job(
        self, native_id: str, command: Sequence[str], *, node: str = "", terminal: bool = False
    ) -> InsideJob:
        """On `node`, or on the job's first one; within what the job has, and ended with it.

        `terminal`: somebody types. Raises `Refused` where the batch system is too old for it.
        """


@runtime_checkable
class CanBeDetected(Protocol):
    """An ability of the adapter's class: it finds out by itself whether its batch system is on this machine."""

    @staticmethod
    def is_here() -> bool:
        """Quick, and never raises."""


def abilities_of(adapter: object) -> BatchAbilities:
    """Of an adapter that may state none: then those of a shared cluster."""
    declared = getattr(adapter, "abilities", None)
    return declared if isinstance(declared, BatchAbilities) else BatchAbilities()


def tools_of(adapter: object) -> NativeTools:
    declared = getattr(adapter, "tools", None)
    return declared if isinstance(declared, NativeTools) else NativeTools()
