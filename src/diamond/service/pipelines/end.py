"""The end of a pipeline: reached, or asked for."""

from __future__ import annotations

import time
from dataclasses import replace

from diamond.pipelines.readiness import StepState
from diamond.service.access.authorize import Action
from diamond.service.access.principal import Principal
from diamond.service.notifications.notify import Notice, notify
from diamond.service.pipelines import store
from diamond.service.pipelines.board import Board, new_step
from diamond.service.pipelines.find import find_pipeline
from diamond.service.pipelines.pilots import release_pilots
from diamond.service.pipelines.rows import CANCELLED, FAILED, RUNNING, SUCCEEDED
from diamond.service.pipelines.schemas import PipelineDetail
from diamond.service.pipelines.views import show_pipeline
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import changed, publish
from diamond.service.platform.services import Services
from diamond.service.tasks.store import tasks_by_id
from diamond.service.tasks.tasks import end_task

OUTCOMES = {
    StepState.DONE: SUCCEEDED,
    StepState.FAILED: FAILED,
    StepState.CANCELLED: CANCELLED,
}


async def cancel_pipeline(
    services: Services, principal: Principal, pipeline: str
) -> PipelineDetail:
    """Its tasks end, and nothing new starts. One that is over stays as it is."""

    async def cancel(tx: Transaction) -> PipelineDetail:
        row = await find_pipeline(tx.connection, principal, pipeline, Action.STOP)
        board = Board.of(row, await store.steps_of(tx.connection, [row.id]))
        if row.state == RUNNING:
            await end_running(tx, board, f"cancelled by {principal.name}")
            await conclude(tx, board, StepState.CANCELLED)
        return await show_pipeline(tx.connection, row.id)

    return await services.store.run(cancel)


async def end_running(tx: Transaction, board: Board, why: str) -> None:
    """Steps that wait or run are cancelled, with their tasks."""
    running = [step.task for step in board.steps.values() if step.state is StepState.RUNNING]
    for task in (await tasks_by_id(tx.connection, set(running))).values():
        await end_task(tx, task, by=why)
    for stage in board.pipeline.graph.stages:
        if stage not in board.states:
            board.steps[stage, 0] = new_step(board.row, stage, 0, {})
            await store.add_steps(tx, [board.steps[stage, 0]])
    now = time.time()
    for key, step in list(board.steps.items()):
        if step.state in (StepState.WAITING, StepState.RUNNING):
            ended = replace(step, state=StepState.CANCELLED, message=why, ended=now)
            board.steps[key] = ended
            await store.save_step(tx, ended)


async def conclude(tx: Transaction, board: Board, how: StepState) -> None:
    board = await release_pilots(tx, board, is_over=True)
    state, row = OUTCOMES[how], board.row
    message = _message(board) if state != SUCCEEDED else ""
    ended = replace(row, state=state, message=message, ended=time.time())
    await store.save_pipeline(tx, ended)
    notice = Notice(
        f"pipeline:{row.id}:{row.version}",
        state,
        f"The pipeline {row.name} {'was cancelled' if state == CANCELLED else state}",
        message or "All stages are done.",
    )
    news = await notify(tx, row.owner, [notice])
    await publish(tx, row.owner, [*news, changed("pipelines")])


def _message(board: Board) -> str:
    """Of the first stage that failed, in the order of the graph."""
    for name in board.pipeline.graph.order:
        for (stage, _), step in sorted(board.steps.items()):
            if stage == name and step.state is StepState.FAILED:
                return f"{stage} failed: {step.message}"
    cancelled = [step for step in board.steps.values() if step.state is StepState.CANCELLED]
    return cancelled[0].message if cancelled else ""
