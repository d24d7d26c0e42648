"""Steps whose task has ended: done with its outputs, tried again, or failed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from diamond.core.task import FINAL_WORDS, Reason, State
from diamond.pipelines.graph import Output
from diamond.pipelines.readiness import StepState
from diamond.service.pilots.store import mark_closing
from diamond.service.pipelines.board import Board
from diamond.service.pipelines.look import Seen
from diamond.service.pipelines.rows import StepOutput, StepRow
from diamond.service.platform.database.engine import Transaction
from diamond.service.results import store as result_store
from diamond.service.results.rows import FAILED, READY, ResultRow
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.store import tasks_by_id

MOST_LOST = 5
"""Allocations that may end while a step runs, before it counts as failed."""
NEAR_ITS_LIMIT = 30
"""Seconds before its own time limit: a step that came so close reached that, not the end of its allocation."""
OF_THE_PILOT = frozenset(
    {
        Reason.PILOT_CLOSED.value,
        Reason.PREEMPTED.value,
        Reason.NODE_LOST.value,
        Reason.LOST.value,
        Reason.BY_SITE.value,
    }
)


async def settled_steps(tx: Transaction, board: Board, seen: Seen) -> list[StepRow]:
    """Those that change; one whose outputs are still being read does not."""
    connection = tx.connection
    running = [step for step in board.steps.values() if step.state is StepState.RUNNING]
    tasks = await tasks_by_id(connection, {step.task for step in running})
    good = {task.id for task in tasks.values() if task.state == State.SUCCEEDED.value}
    results = await result_store.results_by_task(connection, good)
    over = [task for task in tasks.values() if task.state in FINAL_WORDS and task.id not in good]
    pilots = await tasks_by_id(connection, {task.pilot for task in over if task.pilot})
    for pilot in {task.pilot for task in over if task.reason == Reason.PILOT_CLOSED.value}:
        await mark_closing(tx, pilot, time.time())  # its agent says so long before it has ended
    changed = []
    for step in running:
        task = tasks.get(step.task)
        if task is None:
            changed.append(_failed(step, "its task is gone"))
        elif task.id in good:
            changed.append(_succeeded(board, step, task, results[task.id], seen))
        elif task.state in FINAL_WORDS:
            changed.append(_ended(board, step, task, pilots.get(task.pilot)))
    return [step for step in changed if step != board.steps[step.stage, step.n]]


def _ended(board: Board, step: StepRow, task: TaskRow, pilot: TaskRow | None) -> StepRow:
    if pilot is not None and ended_with_pilot(task):
        return _without_pilot(step, task, pilot)
    if task.state == State.CANCELLED.value:
        return replace(_failed(step, task.message), state=StepState.CANCELLED)
    if step.tries <= board.pipeline.stages[step.stage].retries:
        message = f"try {step.tries} failed: {task.message}"
        return replace(step, state=StepState.WAITING, message=message)
    return _failed(step, task.message or task.reason)


def ended_with_pilot(task: TaskRow) -> bool:
    """Whether it ended because its allocation did, or never began as its pilot took nothing more: no failure of its own."""
    if task.state != State.FAILED.value or not task.pilot:
        return False
    if task.reason != Reason.WALL_TIME.value:
        return task.reason in OF_THE_PILOT
    began = task.attempts[-1].started if task.attempts else None
    lasted = (task.ended or 0.0) - (began or task.ended or 0.0)
    return lasted < 60 * task.resources.walltime_minutes - NEAR_ITS_LIMIT


def _without_pilot(step: StepRow, task: TaskRow, pilot: TaskRow) -> StepRow:
    """It starts again, in another allocation; not if there was none, or it has lost too many."""
    if pilot.state == State.CANCELLED.value or pilot.cancel_requested:
        return replace(_failed(step, "its pilot was cancelled"), state=StepState.CANCELLED)
    if pilot.state == State.FAILED.value and pilot.started is None:
        return _failed(step, f"its pilot {pilot.id} failed: {pilot.message or pilot.reason}")
    lost = step.lost + 1
    if lost > MOST_LOST:
        message = f"{lost} allocations ended while it ran there, the last with: {task.message}"
        return _failed(step, f"{message}. Ask for a longer one, or add continue: to the stage")
    message = f"its allocation ended ({task.reason}): it starts again in the next one"
    return replace(step, state=StepState.WAITING, message=message, lost=lost, tries=step.tries - 1)


def _succeeded(
    board: Board, step: StepRow, task: TaskRow, found: Sequence[ResultRow], seen: Seen
) -> StepRow:
    results = {row.name: row for row in found}
    outputs = dict(step.outputs)
    for output in board.pipeline.graph.stages[step.stage].outputs.values():
        made = _value(output, task, seen) if output.is_value else _tree(output, results, seen)
        if isinstance(made, str):
            return _failed(step, made)
        if made is not None:
            outputs.setdefault(output.name, made)
    if len(outputs) < len(board.pipeline.graph.stages[step.stage].outputs):
        return replace(step, outputs=outputs)
    return replace(
        step, state=StepState.DONE, message="", outputs=outputs, ended=task.ended or time.time()
    )


def _value(output: Output, task: TaskRow, seen: Seen) -> StepOutput | str | None:
    """None: it could not be read yet; a text says why it never will be."""
    read = seen.values.get((task.id, output.name))
    if read is None:
        return None
    return read.problem or StepOutput(value=read.value)


def _tree(output: Output, results: dict[str, ResultRow], seen: Seen) -> StepOutput | str | None:
    result = results.get(output.name)
    if result is None or result.state == FAILED:
        why = result.message if result else "it was not registered"
        return f"the output {output.name} ({output.path}) is not there: {why}"
    if result.state != READY:
        return None
    if result.files == 1 and result.tree not in seen.names:
        return None
    names = seen.names.get(result.tree, [])
    base = output.path.rsplit("/", 1)[-1]
    file = base if result.files == 1 and names == [base] else ""
    return StepOutput(result.tree, file, result.size, result.files)


def _failed(step: StepRow, message: str) -> StepRow:
    return replace(step, state=StepState.FAILED, message=message, ended=time.time())
