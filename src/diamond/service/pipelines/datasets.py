"""Outputs of stages that are named as datasets become their versions when the stage is done."""

from __future__ import annotations

import time
from dataclasses import replace

from diamond.core.errors import DiamondError
from diamond.pipelines.graph import Output
from diamond.pipelines.readiness import GOOD, StepState
from diamond.service.access.principal import Kind, Principal
from diamond.service.datasets.schemas import AboutDataset
from diamond.service.people.shares import roles_and_courses
from diamond.service.pipelines.board import Board
from diamond.service.pipelines.rows import StepOutput, StepRow
from diamond.service.platform.database.engine import Transaction
from diamond.service.results.as_dataset import version_of_result
from diamond.service.tasks.store import find_task


async def with_datasets(tx: Transaction, board: Board, step: StepRow) -> StepRow:
    """The step, with the versions that its outputs are now. One that cannot be named fails the step and says why."""
    named = [one for one in board.pipeline.graph.stages[step.stage].outputs.values() if one.dataset]
    if step.state not in GOOD or not named:
        return step
    outputs = dict(step.outputs)
    try:
        async with tx.part():
            for output in named:
                made = outputs[output.name]
                outputs[output.name] = await _named(tx, board, step, output, made)
    except DiamondError as error:
        message = f"{error.message}. {error.hint}".strip()
        return replace(step, state=StepState.FAILED, message=message, ended=time.time())
    return replace(step, outputs=outputs)


async def _named(
    tx: Transaction, board: Board, step: StepRow, output: Output, made: StepOutput
) -> StepOutput:
    row, task = board.row, await find_task(tx.connection, step.task)
    if task is None or not made.tree:
        return made
    roles, courses = await roles_and_courses(tx.connection, row.owner)
    principal = Principal(Kind.PERSON, row.owner, projects=roles, courses=courses)
    about = AboutDataset(name=output.dataset, project=row.project)
    version = await version_of_result(tx, principal, task, output.name, made.tree, about)
    return replace(made, dataset=f"{output.dataset}@{version.name}")
