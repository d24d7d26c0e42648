"""How a version would come to each of a person's endpoints that lacks it."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.artifacts import PREFIX
from diamond.service.datasets import schemas
from diamond.service.datasets.bounds import bounds_of
from diamond.service.datasets.rows import DatasetRow, VersionRow
from diamond.service.datasets.rules import may_lie_on, may_pass_service
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.store import list_endpoints
from diamond.service.trees.rows import TreePlaceRow, TreeRow
from diamond.service.trees.transfers import plan_way
from diamond.service.trees.trees import find_tree, places_of

MOST = 20
"""Endpoints for which ways are planned; each costs a few queries."""


async def ways_to_others(
    connection: AsyncConnection, user: str, dataset: DatasetRow, versions: Sequence[VersionRow]
) -> list[schemas.DataWay]:
    """Of the newest of these versions."""
    if not versions:
        return []
    version = max(versions, key=lambda one: one.n)
    tree = await find_tree(connection, dataset.owner, PREFIX + version.tree)
    found = await places_of(connection, user, [version.tree], also_of=[dataset.owner])
    places = found[version.tree]
    bounds = await bounds_of(connection, dataset.owner, version.tree, is_named=True)
    may_pass = bounds.passes_service and await may_pass_service(connection, dataset)
    have = {place.endpoint for place in places}
    lacking = [one for one in await list_endpoints(connection, user) if one.id not in have]
    return [
        await _way(connection, dataset, version, tree, places, endpoint, may_pass=may_pass)
        for endpoint in lacking[:MOST]
        if bounds.admits(endpoint) and await may_lie_on(connection, dataset, endpoint)
    ]


async def _way(
    connection: AsyncConnection,
    dataset: DatasetRow,
    version: VersionRow,
    tree: TreeRow,
    places: Sequence[TreePlaceRow],
    endpoint: EndpointRow,
    *,
    may_pass: bool,
) -> schemas.DataWay:
    way = await plan_way(connection, tree, endpoint, places, dataset.layout, may_pass=may_pass)
    return schemas.DataWay(
        version=version.name,
        endpoint=endpoint.name,
        way=way.how,
        words=way.words,
        others=list(way.ways[1:]),
    )
