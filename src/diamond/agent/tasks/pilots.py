"""Pilots on this machine: what their programs need to know, and what became of their allocations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from diamond.agent.site.profile import Profile
from diamond.agent.tasks.folders import AttemptFolder
from diamond.agent.tasks.machine.state import GO, STOP, AttemptState
from diamond.core.events import Event, Observed
from diamond.core.order import Order, Pilot, Placement
from diamond.core.task import CONTINUE_EXIT_CODE, Reason
from diamond.launchers.script import Batch, exported_variables, program_variables
from diamond.pilots.requests import Lean
from diamond.pilots.settings import PilotSettings
from diamond.pilots.warm import python_call
from diamond.schedulers.pilot import Fate

_INSIDE = "pilot "
_OF_AN_ALLOCATION = (Reason.WALL_TIME, Reason.NODE_LOST, Reason.PREEMPTED, Reason.BY_SITE)


def partition_of(placement: Placement) -> str:
    """What stands for a partition of the site: limits of the site do not count inside a pilot. '' outside of one."""
    return f"{_INSIDE}{placement.pilot}" if placement.pilot else ""


def is_inside_pilot(partition: str) -> bool:
    return partition.startswith(_INSIDE)


def pilot_settings(
    folder: AttemptFolder, order: Order, pilot: Pilot, profile: Profile, *, starter: str
) -> PilotSettings:
    asked = order.resources
    return PilotSettings(
        folder=str(folder.run_dir / "pilot"),
        attempt=str(folder.path),
        task=folder.task,
        engine=pilot.engine,
        idle_seconds=max(1, pilot.idle_seconds),
        nodes=asked.nodes,
        cores=asked.cpus_per_node,
        memory_mb=asked.memory_mb,
        gpus=asked.gpus_per_node,
        starter=starter,
        interface=str(profile.facts.get("interface") or ""),
    )


def pilot_command(folder: AttemptFolder, installed: str) -> list[str]:
    """By the Python of the pilot's environment; `-E -s`: nothing of the user's is loaded."""
    main = str(Path(installed) / "diamond" / "pilots" / "__main__.py")
    return ["python3", "-E", "-s", main, "run", str(folder.path / "pilot.json")]


def lean_of(batch: Batch, order: Order) -> Lean | None:
    """How the pilot starts it without a batch script, which costs more than a short stage; None where it needs one.

    One process outside of a container, with nothing to mount, copy, hand over, await or continue. What it reads from other
    stages is linked already, and known by its digest.
    """
    needs_script = (
        order.launch.kind != "single"
        or order.build is not None
        or order.image is not None
        or order.secrets
        or order.resume.pattern
        or order.budget
        or order.data  # plain paths: what they hold is noted for the record, where digests are not known
        or batch.entered.prefix
        or batch.entered.mounts
        or batch.entered.caches
        or batch.modules
        or batch.number != 1
        or (Path(batch.folder).parents[1] / "chain.json").exists()
    )
    if not order.placement.pilot or needs_script:
        return None
    words, program = list(batch.program), order.program
    return Lean(
        task=batch.task,
        words=words[1:] if words[0] == "env" else words,
        run_dir=batch.run_dir,
        inbox=batch.inbox,
        training=batch.training,
        lead_seconds=order.resume.lead_seconds,
        variables=dict(exported_variables(batch)),
        defaults=dict(batch.defaults),
        path=list(batch.entered.path),
        call=python_call(program.words, program.line),
        call_variables=program_variables(order, batch.entered, batch.training),
    )


class LoadedAttempts(Protocol):
    def of_task(self, task: str) -> list[AttemptState]: ...
    def folder(self, state: AttemptState) -> AttemptFolder: ...


class KnownPilots:
    """`attempts` are asked for late: the agent makes its scheduler before them."""

    def __init__(self, tasks: Path, attempts: Callable[[], LoadedAttempts]) -> None:
        self._tasks, self._attempts = tasks, attempts

    def is_over(self, pilot: str) -> bool:
        """No allocation of it runs or will follow; also of one that nobody knows."""
        states = self._attempts().of_task(pilot)
        if not states:
            return True
        newest = states[-1]
        if not all(state.is_over for state in states):
            return False
        folder = self._attempts().folder(newest)
        return newest.exits.get(newest.run) == 0 or (
            folder.verdict != GO
            and (newest.is_confirmed or folder.verdict == STOP or folder.is_cancelled)
        )

    def fate(self, pilot: str, allocation: str) -> Fate | None:
        """How this allocation ended; None while it may still run."""
        states = self._attempts().of_task(pilot)
        for state in states:
            if state.native_id == allocation:
                return _fate(state) if state.is_over else None
        if any(not state.is_over and not state.native_id for state in states):
            return None  # it may be this one: the answer to its submission was lost, or comes now
        return Fate(Reason.NODE_LOST, "its pilot has ended")


def _fate(state: AttemptState) -> Fate:
    reason = _reason(state.facts)
    if reason is Reason.NONE:
        code = state.exits.get(state.run)
        reason = Reason.WALL_TIME if code == CONTINUE_EXIT_CODE else Reason.NODE_LOST
    return Fate(reason, f"the allocation of its pilot ended ({reason.value})")


def _reason(facts: Sequence[Event]) -> Reason:
    """The batch system's word, where it is one about the allocation and not about the pilot's program."""
    words = [
        event.reason for event in facts if isinstance(event, Observed) and event.status == "ended"
    ]
    known = [each for each in _OF_AN_ALLOCATION if words and each.value == words[-1]]
    return known[0] if known else Reason.NONE
