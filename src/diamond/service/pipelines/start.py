"""A step whose inputs are all there becomes a task, or takes the results of an earlier one."""

from __future__ import annotations

import time
from dataclasses import replace

from diamond.core.dependencies import Dependency, DependencyKind, DependencyState
from diamond.core.errors import Conflict
from diamond.core.facts import NamedResult
from diamond.pipelines.readiness import StepState
from diamond.service.access.principal import Kind, Principal
from diamond.service.composer.compose import resolve
from diamond.service.composer.request import RequestedSpec
from diamond.service.jobs.submit import add_run_task
from diamond.service.people.shares import roles_and_courses
from diamond.service.people.signed_in import account_disabled
from diamond.service.people.store import find_user
from diamond.service.pipelines.bind import Bound, bind, should_run
from diamond.service.pipelines.board import Board
from diamond.service.pipelines.cache import find_cached, step_key
from diamond.service.pipelines.look import Seen
from diamond.service.pipelines.rows import StepRow
from diamond.service.platform.database.engine import Transaction
from diamond.service.results.results import note_results
from diamond.service.tasks import job_store
from diamond.service.tasks.create import new_job
from diamond.service.tasks.rows import TaskRow


async def start_step(tx: Transaction, board: Board, step: StepRow, seen: Seen) -> StepRow:
    """The step as it is now. Raises a `DiamondError` that says why it cannot start."""
    now = time.time()
    if not should_run(board, step):
        condition = board.pipeline.graph.stages[step.stage].when
        message = f"its condition does not hold: {condition}"
        return replace(step, state=StepState.SKIPPED, message=message, ended=now)
    row, bound = board.row, bind(board, step)
    principal = await owner_of(tx, row.owner)
    requested = RequestedSpec(bound.spec, row.code)
    composer = await resolve(tx.connection, principal, requested, row.project)
    composed = composer.compose(bound.spec)
    key = step_key(board, step, bound, composed, seen.code)
    if key and step.stage not in row.forced:
        cached = await find_cached(tx.connection, row.owner, key)
        if cached is not None:
            message = f"done before by {cached.task}"
            ready = replace(step, state=StepState.CACHED, message=message, task=cached.task)
            return replace(ready, key=key, outputs=cached.outputs, started=now, ended=now)
    endpoint = composer.endpoint_of(composed)
    if endpoint.policy.require_signed:
        raise Conflict(
            f"{endpoint.name} accepts only signed specs, and a stage cannot be signed in advance",
            "Choose another endpoint.",
        )
    job = new_job(composed, row.owner, row.code, composer.terms.id)
    await job_store.add_job(tx, job)
    task = await add_run_task(
        tx,
        endpoint,
        job,
        composed,
        terms=composer.terms,
        given=bound.spec,
        after=_dependencies(bound),
    )
    await _declare_outputs(tx, board, step, task)
    started = replace(step, state=StepState.RUNNING, message="", task=task.id, key=key)
    return replace(started, tries=step.tries + 1, started=now, ended=None, outputs={})


async def owner_of(tx: Transaction, user: str) -> Principal:
    """Whoever submitted the pipeline, with the roles that they have now."""
    person = await find_user(tx.connection, user)
    if person is None or person.disabled:
        raise account_disabled()
    roles, courses = await roles_and_courses(tx.connection, user)
    return Principal(Kind.PERSON, user, person.name, projects=roles, courses=courses)


def _dependencies(bound: Bound) -> list[Dependency]:
    """Tasks whose results it reads: all of them have succeeded."""
    tasks = dict.fromkeys((step.task, step.stage) for step in bound.parents if step.task)
    return [
        Dependency(DependencyKind.TASK, task, DependencyState.MET, f"the stage {stage}")
        for task, stage in tasks
    ]


async def _declare_outputs(tx: Transaction, board: Board, step: StepRow, task: TaskRow) -> None:
    """They are hashed where they lie when the task has ended."""
    outputs = board.pipeline.graph.stages[step.stage].outputs.values()
    named = [
        NamedResult(name=one.name, path=one.path, kind=one.kind, format=one.format)
        for one in outputs
        if not one.is_value
    ]
    await note_results(tx, task, named)
