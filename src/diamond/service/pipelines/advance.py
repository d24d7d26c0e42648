"""One round of a pipeline: settle what has ended, decide, expand maps, start what may start, conclude.

Every change is one transaction on one version of the pipeline: it may be repeated, or tried by two processes at once.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from diamond.core.errors import BadRequest, DiamondError
from diamond.pipelines.graph import Axis
from diamond.pipelines.items import Item, expand, items_of_value
from diamond.pipelines.readiness import GOOD, Act, Move, StepState, is_over, moves, outcome
from diamond.service.pipelines import store
from diamond.service.pipelines.board import Board, new_step
from diamond.service.pipelines.datasets import with_datasets
from diamond.service.pipelines.end import conclude, end_running
from diamond.service.pipelines.look import Seen, look
from diamond.service.pipelines.pilots import release_pilots
from diamond.service.pipelines.rows import RUNNING, StepRow
from diamond.service.pipelines.settle import settled_steps
from diamond.service.pipelines.start import Starts
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import changed as changed_news
from diamond.service.platform.event_log import publish
from diamond.service.platform.separately import separately
from diamond.service.platform.services import Services

NEWS = "pipelines"
OVER_LIMIT = "over-limit"
MOST_SECONDS = 0.25
"""Of one transaction that starts steps: a cancel, or another pipeline, waits no longer."""
MOST_ROUNDS = 500
"""Of one pipeline at a time; the next look continues."""


async def advance_all(services: Services) -> bool:
    """Whether any pipeline is still open."""
    async with services.store.read() as connection:
        open_ones = await store.open_pipelines(connection)
    await separately(open_ones, partial(advance, services), "advancing a pipeline")
    return bool(open_ones)


async def advance(services: Services, pipeline: str) -> None:
    """Do what can be done now."""
    for _ in range(MOST_ROUNDS):
        async with services.store.read() as connection:
            board = await load_board(connection, pipeline)
        if board is None or board.row.state != RUNNING:
            return
        seen = await look(services, board)
        decided = await services.store.run(partial(_decide, pipeline=pipeline, seen=seen))
        started = await _start_all(services, pipeline, decided.starts, seen)
        if not started and not decided.has_changed:
            return


class _Decided:
    def __init__(self) -> None:
        self.has_changed = False
        self.starts: list[Move] = []


async def load_board(connection: Any, pipeline: str) -> Board | None:
    row = await store.find_pipeline(connection, pipeline)
    return Board.of(row, await store.steps_of(connection, [pipeline])) if row else None


async def _decide(tx: Transaction, pipeline: str, seen: Seen) -> _Decided:
    """Everything but starting tasks."""
    decided = _Decided()
    board = await load_board(tx.connection, pipeline)
    if board is None or board.row.state != RUNNING:
        return decided
    settled = await settled_steps(tx, board, seen)
    steps = [await with_datasets(tx, board, step) for step in settled]
    for step in steps:
        board.steps[step.stage, step.n] = step
        await store.save_step(tx, step)
    added = 0
    while True:
        wanted = moves(board.pipeline.graph, board.states)
        made = [one for move in wanted for one in await _carry_out(tx, board, move, seen)]
        added += len(made)
        if not made:
            break
    decided.has_changed = bool(steps or added)
    ended = await _end(tx, board)
    if not ended:
        released = await release_pilots(tx, board)
        decided.has_changed = decided.has_changed or released is not board
        board = released
    decided.starts = [] if ended else [move for move in wanted if move.act is Act.START]
    if decided.has_changed and not ended:
        await store.save_pipeline(tx, board.row)
        await publish(tx, board.row.owner, [changed_news(NEWS)])
    return decided


async def _carry_out(tx: Transaction, board: Board, move: Move, seen: Seen) -> list[StepRow]:
    """The steps that a move makes or changes."""
    if move.act is Act.START:
        return []
    if move.act is Act.EXPAND:
        made = _expanded(board, move.stage, seen)
        await store.add_steps(tx, made)
    else:
        state = StepState.STOPPED if move.act is Act.STOP else StepState.SKIPPED
        known = board.steps.get((move.stage, move.index))
        step = known or new_step(board.row, move.stage, move.index, {})
        made = [replace(step, state=state, message=move.message, ended=time.time())]
        await (store.save_step(tx, made[0]) if known else store.add_steps(tx, made))
    for step in made:
        board.steps[step.stage, step.n] = step
    return made


def _expanded(board: Board, name: str, seen: Seen) -> list[StepRow]:
    """The steps of a mapped stage. Empty: what it is mapped over could not be looked at yet."""
    stage = board.pipeline.graph.stages[name]
    if stage.each_of:
        parents = [step for (other, _), step in board.steps.items() if other == stage.each_of]
        return [new_step(board.row, name, step.n, step.item) for step in parents]
    try:
        found = {axis.name: _items(board, axis, seen) for axis in stage.axes if axis.source}
        if any(items is None for items in found.values()):
            return []
        items = expand(stage.axes, {name: some or [] for name, some in found.items()})
    except BadRequest as error:
        message = f"{error.message}. {error.hint}"
        return [_ended(board, name, StepState.FAILED, message)]
    if not items:
        return [_ended(board, name, StepState.SKIPPED, "there are no items to map over")]
    return steps_for(board, name, items)


def steps_for(board: Board, name: str, items: Sequence[Item]) -> list[StepRow]:
    return [new_step(board.row, name, n, item) for n, item in enumerate(items)]


def _ended(board: Board, name: str, state: StepState, message: str) -> StepRow:
    step = new_step(board.row, name, 0, {}, state=state, message=message)
    return replace(step, ended=time.time())


def _items(board: Board, axis: Axis, seen: Seen) -> list[Any] | None:
    """Of every step of the stage that it names, one after the other. None: not looked at yet."""
    assert axis.source is not None
    items: list[Any] = []
    for (stage, _), step in sorted(board.steps.items()):
        if stage != axis.source.stage or step.state not in GOOD:
            continue
        output = step.outputs[axis.source.output]
        if not output.tree:
            items += items_of_value(output.value, str(axis.source))
        elif output.tree not in seen.names:
            return None
        else:
            items += seen.names[output.tree]
    return items


async def _start_all(services: Services, pipeline: str, starts: Sequence[Move], seen: Seen) -> bool:
    """Whether any did. The first that passes a limit ends the round: the others would pass it too."""
    started, left = False, list(starts)
    while left:
        some = await services.store.run(
            partial(_start_some, pipeline=pipeline, starts=tuple(left), seen=seen)
        )
        started, left = started or some.started, some.left
        # SQLite is called in the event loop: others have their turn.
        await asyncio.sleep(0)
    return started


@dataclass
class _Some:
    """What one transaction of starts came to."""

    started: bool = False
    left: list[Move] = field(default_factory=list)


async def _start_some(tx: Transaction, pipeline: str, starts: Sequence[Move], seen: Seen) -> _Some:
    """As many as fit into a short transaction; what is ready because of them follows at once."""
    some = _Some()
    board = await load_board(tx.connection, pipeline)
    if board is None or board.row.state != RUNNING:
        return some
    work, begun, waiting = Starts(tx, board, seen), time.monotonic(), deque(starts)
    changed, tried = False, set(starts)
    while waiting and time.monotonic() - begun < MOST_SECONDS:
        move = waiting.popleft()
        step = board.steps.get((move.stage, move.index))
        if step is None or step.state is not StepState.WAITING:
            continue
        after, is_full = await _started(tx, work, step)
        if after != step:
            board.steps[step.stage, step.n] = after
            await store.save_step(tx, after)
            changed = True
        if is_full:
            waiting.clear()
            break
        some.started = True
        if after.state is StepState.CACHED:
            more = [one for one in moves(board.pipeline.graph, board.states) if one not in tried]
            more = [one for one in more if one.act is Act.START]
            waiting.extend(more)
            tried.update(more)
    if changed:
        await store.save_pipeline(tx, replace(board.row, pilots=work.pilots.used))
        await publish(tx, board.row.owner, [changed_news(NEWS)])
    some.left = list(waiting)
    return some


async def _started(tx: Transaction, work: Starts, step: StepRow) -> tuple[StepRow, bool]:
    """The step as it is now, and whether a limit leaves no room. What a failed start has written is undone."""
    used = dict(work.pilots.used)
    try:
        async with tx.part():
            return await with_datasets(tx, work.board, await work.start(step)), False
    except DiamondError as error:
        work.pilots.forget(used)
        message = " ".join(part for part in (f"{error.message}.", error.hint) if part)
        if error.faults:
            message = "; ".join(f"{fault['field']}: {fault['message']}" for fault in error.faults)
        if error.detail_code == OVER_LIMIT:  # it waits until there is room
            return replace(step, message=message), True
        failed = replace(step, state=StepState.FAILED, message=message, ended=time.time())
        return failed, False


async def _end(tx: Transaction, board: Board) -> bool:
    """Whether it is over now."""
    states = board.states
    has_failed = any(StepState.FAILED in some.values() for some in states.values())
    if has_failed and board.pipeline.stops_on_failure:
        await end_running(tx, board, "a stage failed, and on_failure is stop")
        states = board.states
    if not is_over(board.pipeline.graph, states):
        return False
    await conclude(tx, board, outcome(states))
    return True
