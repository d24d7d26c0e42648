"""Retry in the same pipeline: what failed, and what it stopped, waits again. What is done stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from diamond.core.errors import Conflict
from diamond.pipelines.readiness import BAD, OPEN, StepState
from diamond.service.access.principal import Principal
from diamond.service.pipelines import store
from diamond.service.pipelines.board import Board
from diamond.service.pipelines.find import find_pipeline
from diamond.service.pipelines.rows import RUNNING, StepRow
from diamond.service.pipelines.schemas import PipelineDetail
from diamond.service.pipelines.submit import require_stages
from diamond.service.pipelines.views import show_pipeline
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import changed, publish
from diamond.service.platform.services import Services
from diamond.service.platform.wakeups.notifier import PIPELINES


async def retry_pipeline(
    services: Services, principal: Principal, pipeline: str, stages: Sequence[str]
) -> PipelineDetail:
    async def retry(tx: Transaction) -> PipelineDetail:
        row = await find_pipeline(tx.connection, principal, pipeline)
        board = Board.of(row, await store.steps_of(tx.connection, [row.id]))
        require_stages(board.pipeline, stages)
        again = _again(board, stages)
        if not again:
            wanted = ", ".join(stages) or "It"
            raise Conflict(
                f"{wanted} has nothing that failed, was cancelled or was stopped",
                "To repeat what is done, submit it again with --from STAGE.",
            )
        await _put_back(tx, board, again)
        open_again = replace(row, state=RUNNING, message="", ended=None)
        await store.save_pipeline(tx, open_again)
        tx.wake(PIPELINES)
        await publish(tx, row.owner, [changed("pipelines")])
        return await show_pipeline(tx.connection, row.id)

    return await services.store.run(retry)


def _again(board: Board, stages: Sequence[str]) -> list[StepRow]:
    """The bad steps of these stages, and what was stopped or skipped behind them."""
    graph = board.pipeline.graph
    chosen = stages or [
        stage for stage, some in board.states.items() if BAD.intersection(some.values())
    ]
    bad = [step for step in board.steps.values() if step.stage in chosen and step.state in BAD]
    behind = graph.with_descendants({step.stage for step in bad})
    waiting = {StepState.STOPPED, StepState.CANCELLED, StepState.SKIPPED}
    return [
        *bad,
        *(
            step
            for step in board.steps.values()
            if step.stage in behind and step.state in waiting and step not in bad
        ),
    ]


async def _put_back(tx: Transaction, board: Board, again: Sequence[StepRow]) -> None:
    """A stage that never got its items loses its one step, so that its map is expanded again."""
    for step in again:
        stage = board.pipeline.graph.stages[step.stage]
        is_placeholder = stage.is_mapped and not step.item
        if is_placeholder:
            await store.drop_steps(tx, step.pipeline, step.stage)
            continue
        assert step.state not in OPEN
        fresh = replace(step, state=StepState.WAITING, message="", task="", tries=0, lost=0, key="")
        await store.save_step(tx, replace(fresh, outputs={}, started=None, ended=None))
