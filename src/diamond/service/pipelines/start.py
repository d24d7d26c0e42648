"""A step whose inputs are all there becomes a task, or takes the results of an earlier one."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from diamond.compose.raw_spec import RawSpec, continues
from diamond.compose.spec_check import Composed
from diamond.core.dependencies import Dependency, DependencyKind, DependencyState
from diamond.core.errors import Conflict
from diamond.core.facts import NamedResult
from diamond.pipelines.readiness import StepState
from diamond.service.access.principal import Principal
from diamond.service.composer.compose import Composer, resolve
from diamond.service.composer.request import RequestedSpec
from diamond.service.jobs.submit import add_run_task
from diamond.service.people.absent import owner_of
from diamond.service.pipelines.bind import Bound, bind, should_run
from diamond.service.pipelines.board import Board
from diamond.service.pipelines.cache import find_cached, step_key
from diamond.service.pipelines.look import Seen
from diamond.service.pipelines.pilots import GroupPilots
from diamond.service.pipelines.rows import StepRow
from diamond.service.platform.database.engine import Transaction
from diamond.service.results.results import note_results
from diamond.service.tasks import job_store
from diamond.service.tasks.create import new_job
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.store import find_task


class Starts:
    """The steps of a pipeline that one transaction starts: what they have in common is read once."""

    def __init__(self, tx: Transaction, board: Board, seen: Seen) -> None:
        self._tx, self.board, self._seen = tx, board, seen
        self._principal: Principal | None = None
        self._composers: dict[str, Composer] = {}
        self.pilots = GroupPilots(tx, board)

    async def start(self, step: StepRow) -> StepRow:
        """The step as it is now. Raises a `DiamondError` that says why it cannot start."""
        tx, board, now = self._tx, self.board, time.time()
        if not should_run(board, step):
            condition = board.pipeline.graph.stages[step.stage].when
            message = f"its condition does not hold: {condition}"
            return replace(step, state=StepState.SKIPPED, message=message, ended=now)
        bound = bind(board, step)
        composer = await self._composer(step, bound.spec)
        composed = composer.compose(bound.spec)
        key = step_key(board, step, bound, composed, self._seen.code)
        if key and step.stage not in board.row.forced:
            cached = await find_cached(tx.connection, board.row.owner, key)
            if cached is not None:
                message = f"done before by {cached.task}"
                ready = replace(step, state=StepState.CACHED, message=message, task=cached.task)
                outputs = {name: replace(one, dataset="") for name, one in cached.outputs.items()}
                return replace(ready, key=key, outputs=outputs, started=now, ended=now)
        task = await self._task(step, _Ready(bound, composer, composed))
        await _declare_outputs(tx, board, step, task)
        started = replace(step, state=StepState.RUNNING, message="", task=task.id, key=key)
        return replace(started, tries=step.tries + 1, started=now, ended=None, outputs={})

    async def _task(self, step: StepRow, ready: _Ready) -> TaskRow:
        tx, board = self._tx, self.board
        composed, endpoint = ready.composed, ready.composer.endpoint_of(ready.composed)
        if endpoint.policy.require_signed:
            raise Conflict(
                f"{endpoint.name} accepts only signed specs, and a stage cannot be signed in advance",
                "Choose another endpoint.",
            )
        job = new_job(composed, board.row.owner, board.row.code, ready.composer.terms.id)
        await job_store.add_job(tx, job)
        group = board.pipeline.group_of(step.stage)
        if group:
            pilot = await self.pilots.of(group, composed.order, await self._owner())
            placement = replace(composed.order.placement, pilot=pilot)
            composed = replace(composed, order=replace(composed.order, placement=placement))
        return await add_run_task(
            tx,
            endpoint,
            job,
            composed,
            terms=ready.composer.terms,
            given=ready.bound.spec,
            after=_dependencies(ready.bound),
            continues=await _continued(tx, step, ready.bound.spec),
        )

    async def _composer(self, step: StepRow, spec: RawSpec) -> Composer:
        """What a stage may use is the same for each of its steps."""
        if step.stage not in self._composers:
            requested = RequestedSpec(spec, self.board.row.code)
            self._composers[step.stage] = await resolve(
                self._tx.connection, await self._owner(), requested, self.board.row.project
            )
        return self._composers[step.stage]

    async def _owner(self) -> Principal:
        if self._principal is None:
            self._principal = await owner_of(self._tx, self.board.row.owner)
        return self._principal


@dataclass(frozen=True)
class _Ready:
    bound: Bound
    composer: Composer
    composed: Composed


async def _continued(tx: Transaction, step: StepRow, spec: RawSpec) -> str:
    """The task whose run directory it takes over, as its allocation ended while that ran; empty: it starts from the beginning."""
    if not step.lost or not step.task or not continues(spec):
        return ""
    before = await find_task(tx.connection, step.task)
    return before.id if before and before.started is not None and not before.cleaned else ""


def _dependencies(bound: Bound) -> list[Dependency]:
    """Tasks whose results it reads: all of them have succeeded."""
    tasks = dict.fromkeys((step.task, step.stage) for step in bound.parents if step.task)
    return [
        Dependency(DependencyKind.TASK, task, DependencyState.MET, f"the stage {stage}")
        for task, stage in tasks
    ]


async def _declare_outputs(tx: Transaction, board: Board, step: StepRow, task: TaskRow) -> None:
    """They are hashed where they are when the task has ended."""
    outputs = board.pipeline.graph.stages[step.stage].outputs.values()
    named = [
        NamedResult(name=one.name, path=one.path, kind=one.kind, format=one.format)
        for one in outputs
        if not one.is_value
    ]
    await note_results(tx, task, named)
