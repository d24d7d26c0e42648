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


async def digest_of_name(connection: AsyncConnection, user: str, text: str) -> str:
    """What `NAME` or `NAME@v2` of a person's own datasets and models means; '' if nothing has this name."""
    name, _, version = text.partition("@")
    number = version.removeprefix("v")
    if version and not (number.isdecimal() and len(number) < 9):
        return ""
    of_data = (
        select(dataset_versions.c.tree)
        .join(datasets, datasets.c.id == dataset_versions.c.dataset)
        .where(datasets.c.owner == user, datasets.c.name == name)
        .order_by(dataset_versions.c.n.desc())
    )
    of_models = (
        select(model_versions.c.tree)
        .join(models, models.c.id == model_versions.c.model)
        .where(models.c.owner == user, models.c.name == name)
        .order_by(model_versions.c.number.desc())
    )
    if number:
        of_data = of_data.where(dataset_versions.c.n == int(number))
        of_models = of_models.where(model_versions.c.number == int(number))
    for query in (of_data, of_models):
        digest = (await connection.execute(query.limit(1))).scalar()
        if digest:
            return str(digest)
    return ""


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
