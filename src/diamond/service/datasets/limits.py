"""What limits of data mean for versions that were made from them: who may have them."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import Conflict
from diamond.service.datasets import store
from diamond.service.datasets.bounds import Bounds, bounds_of
from diamond.service.datasets.rows import DatasetRow
from diamond.service.datasets.rules import require_shareable_data
from diamond.service.people.shares import DATASET, shared_with


async def require_shareable_dataset(connection: AsyncConnection, dataset: DatasetRow) -> None:
    """Data of a restricted project, and whatever was made from them, are for its members alone."""
    await require_shareable_data(connection, dataset)
    for version in (await store.versions_of(connection, [dataset.id]))[dataset.id]:
        bounds = await bounds_of(connection, dataset.owner, version.tree, is_named=True)
        require_leaves_project(bounds, f"{dataset.name}@{version.name}")


async def require_fits_shares(connection: AsyncConnection, dataset: DatasetRow, tree: str) -> None:
    """A shared dataset takes no version that could not be shared."""
    if not await shared_with(connection, DATASET, dataset.id):
        return
    bounds = await bounds_of(connection, dataset.owner, tree, is_named=True)
    require_joins_shared(bounds, dataset.name, "dataset")


def require_leaves_project(bounds: Bounds, name: str) -> None:
    if not bounds.passes_service:
        raise Conflict(
            f"{name} was made under {bounds.because}: it cannot be shared outside of it",
            "Invite the person into the project.",
            code="restricted",
        )


def require_joins_shared(bounds: Bounds, name: str, kind: str) -> None:
    if not bounds.passes_service:
        raise Conflict(
            f"{name} is shared, and this version was made under {bounds.because}",
            f"Add it to another {kind}, or stop sharing this one.",
            code="restricted",
        )
