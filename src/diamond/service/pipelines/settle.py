"""Steps whose task has ended: done with its outputs, tried again, or failed."""

from __future__ import annotations

import time
from dataclasses import replace

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.task import FINAL_WORDS, State
from diamond.pipelines.graph import Output
from diamond.pipelines.readiness import StepState
from diamond.service.pipelines.board import Board
from diamond.service.pipelines.look import Seen
from diamond.service.pipelines.rows import StepOutput, StepRow
from diamond.service.results import store as result_store
from diamond.service.results.rows import FAILED, READY, ResultRow
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.store import tasks_by_id


async def settled_steps(connection: AsyncConnection, board: Board, seen: Seen) -> list[StepRow]:
    """Those that change; one whose outputs are still being read does not."""
    running = [step for step in board.steps.values() if step.state is StepState.RUNNING]
    tasks = await tasks_by_id(connection, {step.task for step in running})
    changed = []
    for step in running:
        task = tasks.get(step.task)
        if task is None:
            changed.append(_failed(step, "its task is gone"))
        elif task.state == State.SUCCEEDED.value:
            changed.append(await _succeeded(connection, board, step, task, seen))
        elif task.state in FINAL_WORDS:
            changed.append(_ended(board, step, task))
    return [step for step in changed if step != board.steps[step.stage, step.n]]


def _ended(board: Board, step: StepRow, task: TaskRow) -> StepRow:
    if task.state == State.CANCELLED.value:
        return replace(_failed(step, task.message), state=StepState.CANCELLED)
    if step.tries <= board.pipeline.stages[step.stage].retries:
        message = f"try {step.tries} failed: {task.message}"
        return replace(step, state=StepState.WAITING, message=message)
    return _failed(step, task.message or task.reason)


async def _succeeded(
    connection: AsyncConnection, board: Board, step: StepRow, task: TaskRow, seen: Seen
) -> StepRow:
    results = {row.name: row for row in await result_store.results_of(connection, task.id)}
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
