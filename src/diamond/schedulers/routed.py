"""One scheduler for the agent: what is placed in a pilot goes to the pilot, everything else to the site's own batch system."""

from __future__ import annotations

from typing import Any, Collection, Dict, List, Mapping, Optional, Sequence, Tuple, Type

from diamond.core.batch_systems import BatchAbilities, ScriptVariables
from diamond.core.native import NativeStatus
from diamond.core.order import Placement
from diamond.schedulers.base import (
    InsideJob,
    KillsAtOnce,
    LeavesOutNodes,
    NativeTools,
    OpensShells,
    RunsItsOwnQueue,
    Scheduler,
    Submission,
    abilities_of,
    tools_of,
)
from diamond.schedulers.pilot import PilotScheduler, is_of_pilot


class RoutedScheduler:
    """Names, abilities and facts are the site's. Make one by `route`, which adds what the site's scheduler can do besides."""

    name: str
    abilities: BatchAbilities
    tools: NativeTools

    def __init__(self, site: Scheduler, pilots: PilotScheduler) -> None:
        self.site, self.pilots = site, pilots
        self.name = site.name
        self.abilities, self.tools = abilities_of(site), tools_of(site)

    def directives(self, submission: Submission, flags: Mapping[str, str]) -> List[str]:
        return self._of(submission.placement).directives(submission, flags)

    def submit(self, submission: Submission) -> str:
        return self._of(submission.placement).submit(submission)

    def find(self, name: str) -> Optional[str]:
        return self.pilots.find(name) or self.site.find(name)

    def status(self, ids: Collection[str]) -> Mapping[str, NativeStatus]:
        """Without a question to the site where only pilots are concerned."""
        inside, outside = _parted(ids)
        answers: Dict[str, NativeStatus] = dict(self.pilots.status(inside)) if inside else {}
        return {**answers, **self.site.status(outside)} if outside else answers

    def history(self, ids: Collection[str]) -> Mapping[str, NativeStatus]:
        _, outside = _parted(ids)
        return self.site.history(outside) if outside else {}

    def cancel(self, native_id: str) -> None:
        self._with(native_id).cancel(native_id)

    def kill(self, native_id: str) -> None:
        """A site that cannot is asked to cancel alone, which follows."""
        scheduler = self._with(native_id)
        if isinstance(scheduler, KillsAtOnce):
            scheduler.kill(native_id)

    def probe(self) -> Dict[str, Dict[str, Any]]:
        return self.site.probe()

    def free(self) -> Dict[str, Any]:
        return self.site.free()

    def script_variables(self) -> ScriptVariables:
        return self.site.script_variables()

    def _of(self, placement: Placement) -> Scheduler:
        return self.pilots if placement.pilot else self.site

    def _with(self, native_id: str) -> Scheduler:
        return self.pilots if is_of_pilot(native_id) else self.site


class _Advances(RoutedScheduler):
    def advance(self) -> None:
        assert isinstance(self.site, RunsItsOwnQueue)
        self.site.advance()


class _LeavesOut(RoutedScheduler):
    def leave_out(self, native_id: str, submission: Submission, flags: Mapping[str, str]) -> None:
        if isinstance(self.site, LeavesOutNodes) and not is_of_pilot(native_id):
            self.site.leave_out(native_id, submission, flags)


class _OpensShells(RoutedScheduler):
    def inside_job(
        self, native_id: str, command: Sequence[str], *, node: str = "", terminal: bool = False
    ) -> InsideJob:
        """In a pilot, within the pilot's own job, on the node of the execution."""
        assert isinstance(self.site, OpensShells)
        if not is_of_pilot(native_id):
            return self.site.inside_job(native_id, command, node=node, terminal=terminal)
        around = self.pilots.surroundings_of(native_id)
        words = ["env", *(f"{name}={value}" for name, value in around.variables.items()), *command]
        return self.site.inside_job(
            around.allocation, words, node=node or around.nodes[0], terminal=terminal
        )


_ABILITIES: Tuple[Tuple[type, Type[RoutedScheduler]], ...] = (
    (RunsItsOwnQueue, _Advances),
    (LeavesOutNodes, _LeavesOut),
    (OpensShells, _OpensShells),
)


def route(site: Scheduler, pilots: PilotScheduler) -> RoutedScheduler:
    """With exactly the abilities of the site's own, as callers ask by `isinstance`."""
    bases = tuple(able for ability, able in _ABILITIES if isinstance(site, ability))
    kind = type("RoutedScheduler", bases or (RoutedScheduler,), {})
    made: RoutedScheduler = kind(site, pilots)
    return made


def variables_for(scheduler: Scheduler, placement: Placement) -> ScriptVariables:
    """How a script that is placed there learns about its own job."""
    if placement.pilot and isinstance(scheduler, RoutedScheduler):
        return scheduler.pilots.script_variables()
    return scheduler.script_variables()


def _parted(ids: Collection[str]) -> Tuple[List[str], List[str]]:
    inside = [each for each in ids if is_of_pilot(each)]
    return inside, [each for each in ids if not is_of_pilot(each)]
