"""A version on an endpoint: there already, or on its way. One transfer serves all tasks that want it."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.dependencies import Dependency
from diamond.core.errors import Conflict
from diamond.service.datasets.bounds import bounds_of
from diamond.service.datasets.room import require_room
from diamond.service.datasets.rows import DatasetRow, VersionRow
from diamond.service.datasets.rules import may_pass_service, require_may_lie_on
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.platform.database.engine import Transaction
from diamond.service.trees.rows import TreePlaceRow
from diamond.service.trees.transfers import ReadyTree, provide_tree
from diamond.service.trees.trees import give_tree, places_of


async def stage(
    tx: Transaction, dataset: DatasetRow, version: VersionRow, endpoint: EndpointRow, layout: str
) -> ReadyTree | Dependency:
    """The caller may read the dataset. Whoever stages what another shares knows its files from then on."""
    await require_may_lie_on(tx.connection, dataset, endpoint)
    bounds = await bounds_of(tx.connection, version.owner, version.tree, is_named=True)
    is_own = endpoint.owner == dataset.owner
    bounds.require(endpoint, f"{dataset.name}@{version.name}", is_own=is_own)
    if endpoint.owner != dataset.owner:
        await give_tree(tx, dataset.owner, endpoint.owner, version.tree)
    places = await usable_places(tx.connection, dataset, version, endpoint.owner)
    here = [place for place in places if place.endpoint == endpoint.id]
    changed = [path for place in here for path in place.changed]
    if changed:
        raise _changed(dataset, version, endpoint, changed)
    if not any(place.layout == layout for place in here):
        require_room(endpoint, dataset.name, version, layout)
    return await provide_tree(
        tx,
        endpoint,
        version.tree,
        layout=layout,
        also_of=[dataset.owner],
        may_pass=bounds.passes_service and await may_pass_service(tx.connection, dataset),
    )


async def usable_places(
    connection: AsyncConnection, dataset: DatasetRow, version: VersionRow, user: str
) -> list[TreePlaceRow]:
    found = await places_of(connection, user, [version.tree], also_of=[dataset.owner])
    return found[version.tree]


def _changed(
    dataset: DatasetRow, version: VersionRow, endpoint: EndpointRow, changed: list[str]
) -> Conflict:
    name = f"{dataset.name}@{version.name}"
    more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
    return Conflict(
        f"Files of {name} on {endpoint.name} have changed since they were registered: {changed[0]}{more}",
        f"Put them back and run `diamond data check {name} --on {endpoint.name}`, or add them as a new version: "
        f"diamond data add {dataset.name} PATH --on {endpoint.name}",
        code="data-changed",
    )
