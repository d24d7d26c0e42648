"""What agents report about data, and what slices above make of it in the same transaction."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from diamond.core.data_messages import DataReports, TreeInventory
from diamond.service.datasets.additions import settle_additions
from diamond.service.endpoints.pairing import AgentCall
from diamond.service.models.pushes import settle_pushes
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.services import Services
from diamond.service.results.results import after_scans
from diamond.service.trees.reports import take_inventory, take_reports
from diamond.service.trees.rows import Ended

AFTER: Sequence[Callable[[Transaction, Sequence[Ended]], Awaitable[None]]] = (
    settle_additions,
    after_scans,
    settle_pushes,
)
"""Called with scans and transfers that have just ended: datasets, models."""


async def take_data_reports(services: Services, call: AgentCall, message: DataReports) -> None:
    async def take(tx: Transaction) -> list[Ended]:
        ended = await take_reports(tx, call, message)
        await after_data(tx, ended)
        return ended

    for row in await services.store.run(take):
        services.pieces.drop(row.id)


async def take_trees(services: Services, call: AgentCall, message: TreeInventory) -> bool:
    """Whether the agent is to look again soon."""
    return await services.store.run(lambda tx: take_inventory(tx, call, message))


async def after_data(tx: Transaction, ended: Sequence[Ended]) -> None:
    """To be called in the transaction that ends them."""
    if ended:
        for react in AFTER:
            await react(tx, ended)
