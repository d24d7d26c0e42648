"""A new version gets its preview by itself, where its content may leave the endpoint."""

from __future__ import annotations

from diamond.service.datasets import store
from diamond.service.datasets.bounds import bounds_of
from diamond.service.datasets.rows import VersionRow
from diamond.service.datasets.rules import may_pass_service
from diamond.service.endpoints.store import endpoints_by_id
from diamond.service.platform.database.engine import Transaction
from diamond.service.trees.previews import request_preview


async def preview_new(tx: Transaction, dataset: str, version: VersionRow, endpoint: str) -> None:
    """Made once. A preview shows content, so data of a restricted project have none."""
    row = (await store.datasets_by_id(tx.connection, [dataset])).get(dataset)
    goal = (await endpoints_by_id(tx.connection, {endpoint})).get(endpoint)
    if row is None or goal is None or not await may_pass_service(tx.connection, row):
        return
    bounds = await bounds_of(tx.connection, version.owner, version.tree, is_named=True)
    if not bounds.passes_service:
        return
    await request_preview(tx, goal, version.tree)
