"""Names for digests. Slices that name things add theirs in `app.py`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.access.principal import Principal
from diamond.service.platform.database.dataset_tables import dataset_versions, datasets
from diamond.service.platform.database.tables import images, model_versions, models


@dataclass(frozen=True)
class Named:
    name: str
    link: str = ""


Namer = Callable[[AsyncConnection, Principal, Collection[str]], Awaitable[Mapping[str, Named]]]
"""Names of digests that the caller may see, by digest."""
NAMERS: list[Namer] = []


async def names_of(
    connection: AsyncConnection, principal: Principal, digests: Collection[str]
) -> dict[str, Named]:
    found: dict[str, Named] = {}
    for namer in (image_names, dataset_names, model_names, *NAMERS):
        found |= await namer(connection, principal, digests)
    return found


async def image_names(
    connection: AsyncConnection, principal: Principal, digests: Collection[str]
) -> dict[str, Named]:
    """Of the caller's own images."""
    known = sorted(digests)[:500]
    wanted = [*known, *(f"sha256:{digest}" for digest in known)]
    query = select(images.c.id, images.c.name, images.c.identity).where(
        images.c.owner == principal.user, images.c.identity.in_(wanted)
    )
    return {
        row.identity.removeprefix("sha256:"): Named(row.name or row.id, f"/images/{row.id}")
        for row in await connection.execute(query)
    }


async def dataset_names(
    connection: AsyncConnection, principal: Principal, digests: Collection[str]
) -> dict[str, Named]:
    """Of versions of the caller's own datasets."""
    query = (
        select(datasets.c.name, dataset_versions.c.n, dataset_versions.c.tree)
        .join(datasets, datasets.c.id == dataset_versions.c.dataset)
        .where(
            datasets.c.owner == principal.user,
            dataset_versions.c.tree.in_(sorted(digests)[:500]),
        )
        .order_by(dataset_versions.c.created)
    )
    return {
        row.tree: Named(f"{row.name}@v{row.n}", f"/datasets/{row.name}")
        for row in await connection.execute(query)
    }


async def model_names(
    connection: AsyncConnection, principal: Principal, digests: Collection[str]
) -> dict[str, Named]:
    """Of versions of the caller's own models."""
    query = (
        select(models.c.name, model_versions.c.number, model_versions.c.tree)
        .join(models, models.c.id == model_versions.c.model)
        .where(models.c.owner == principal.user, model_versions.c.tree.in_(sorted(digests)[:500]))
    )
    return {
        row.tree: Named(f"{row.name}@v{row.number}", f"/models/{row.name}")
        for row in await connection.execute(query)
    }
