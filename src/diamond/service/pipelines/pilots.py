"""The pilots of a pipeline's groups: found or started when the first step needs one, closed when none can come any more."""

from __future__ import annotations

from dataclasses import replace

from diamond.compose.pipeline_check import Pipeline
from diamond.compose.stages import TOGETHER
from diamond.core.order import Order
from diamond.pipelines.readiness import OPEN
from diamond.service.access.principal import Principal
from diamond.service.pilots.choose import find_fitting, open_pilot
from diamond.service.pilots.rows import Held
from diamond.service.pilots.start import add_pilot, prepare_pilot
from diamond.service.pilots.stop import close_pilot
from diamond.service.pilots.store import pilots_by_id
from diamond.service.pipelines import store
from diamond.service.pipelines.board import Board
from diamond.service.platform.database.engine import Transaction


def pilot_name(pipeline: Pipeline, group: str) -> str:
    return pipeline.name if group == TOGETHER else f"{pipeline.name}.{group}"


class GroupPilots:
    """Those of one transaction: each is looked up once."""

    def __init__(self, tx: Transaction, board: Board) -> None:
        self._tx, self._board = tx, board
        self.used = dict(board.row.pilots)
        """The task of each group's pilot, as it is to be saved."""
        self._open: dict[str, Held | None] = {}

    def forget(self, used: dict[str, str]) -> None:
        """What was found since then may have been undone."""
        self.used, self._open = used, {}

    async def of(self, group: str, order: Order, principal: Principal) -> str:
        """The task of the pilot that takes a step of this group. Raises a `DiamondError` if none can be started."""
        tx, row = self._tx, self._board.row
        held = self._open.get(group)
        if held is None and self.used.get(group):
            held = await open_pilot(tx.connection, self.used[group], order.resources, row.owner)
        if held is None:
            held = await self._found_or_started(group, principal)
        self._open[group] = held
        self.used[group] = held.task.id
        return held.task.id

    async def _found_or_started(self, group: str, principal: Principal) -> Held:
        tx, row, pipeline = self._tx, self._board.row, self._board.pipeline
        name = pilot_name(pipeline, group)
        prepared = await prepare_pilot(
            tx.connection, principal, pipeline.groups[group], name, row.project
        )
        found = await find_fitting(
            tx.connection,
            row.owner,
            endpoint=prepared.endpoint.id,
            project=prepared.composer.terms.id,
            wanted=prepared.allocation.composed.order,
        )
        if found is not None:
            return found
        task = await add_pilot(tx, row.owner, prepared, made_for=row.id)
        return (await pilots_by_id(tx.connection, [task.id]))[task.id]


async def release_pilots(tx: Transaction, board: Board, *, is_over: bool = False) -> Board:
    """Close the pilots of groups for which no step can come any more. Those that a person started stay."""
    free = {
        group: task
        for group, task in board.row.pilots.items()
        if is_over or not _may_come(board, group)
    }
    if not free:
        return board
    kept = {group: task for group, task in board.row.pilots.items() if group not in free}
    others = await store.pilots_in_use(tx.connection, board.row.owner, but=board.row.id)
    held_ones = await pilots_by_id(tx.connection, set(free.values()) - set(kept.values()) - others)
    for held in held_ones.values():
        if held.row.made_for:
            await close_pilot(tx, held, by="its pipeline: no step needs it any more")
    return replace(board, row=replace(board.row, pilots=kept))


def _may_come(board: Board, group: str) -> bool:
    states = board.states
    return any(
        name not in states or OPEN.intersection(states[name].values())
        for name in board.pipeline.stages
        if board.pipeline.group_of(name) == group
    )
