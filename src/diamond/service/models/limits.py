"""What limits of data mean for models that were made from them: who may have them."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.datasets.bounds import bounds_of
from diamond.service.datasets.limits import require_joins_shared, require_leaves_project
from diamond.service.models import store
from diamond.service.models.rows import ModelRow
from diamond.service.people.shares import MODEL, shared_with


async def require_shareable_model(connection: AsyncConnection, model: ModelRow) -> None:
    """Models made from data of a restricted project are for its members alone, as the data are."""
    for tree in await store.trees_of(connection, model.id):
        bounds = await bounds_of(connection, model.owner, tree)
        require_leaves_project(bounds, model.name)


async def require_fits_shares(connection: AsyncConnection, model: ModelRow, tree: str) -> None:
    """A shared model takes no version that could not be shared."""
    if not await shared_with(connection, MODEL, model.id):
        return
    bounds = await bounds_of(connection, model.owner, tree)
    require_joins_shared(bounds, model.name, "model")
