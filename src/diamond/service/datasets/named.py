"""What the references of a spec mean for its owner."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.compose.data import DatasetFacts, KnownData
from diamond.core.errors import DiamondError
from diamond.service.access.principal import Kind, Principal
from diamond.service.datasets import store
from diamond.service.datasets.find import find_reference, visible_datasets
from diamond.service.people.shares import roles_and_courses
from diamond.service.people.store import find_user


async def known_data(connection: AsyncConnection, owner: str, texts: Collection[str]) -> KnownData:
    """Each reference with the version it means now, or why it means none."""
    if not texts:
        return KnownData()
    roles, courses = await roles_and_courses(connection, owner)
    principal = Principal(Kind.PERSON, owner, projects=roles, courses=courses)
    versions: dict[str, DatasetFacts] = {}
    problems: dict[str, tuple[str, str]] = {}
    for text in dict.fromkeys(texts):
        try:
            versions[text] = await _facts(connection, principal, text)
        except DiamondError as error:
            if text.partition("@")[0] in await _names(connection, principal):
                problems[text] = (error.message, error.hint)
    names = await _names(connection, principal) if len(versions) < len(set(texts)) else []
    return KnownData(versions, problems, names)


async def _facts(connection: AsyncConnection, principal: Principal, text: str) -> DatasetFacts:
    found = await find_reference(connection, principal, text)
    dataset, version = found.dataset, found.version
    is_own = dataset.owner == principal.user
    owner = None if is_own else await find_user(connection, dataset.owner)
    return DatasetFacts(
        dataset=dataset.id,
        name=dataset.name if is_own else f"{dataset.owner}/{dataset.name}",
        version=version.n,
        tree=version.tree,
        layout=dataset.layout,
        owner=owner.name if owner else "",
    )


async def _names(connection: AsyncConnection, principal: Principal) -> list[str]:
    own = await store.names_of(connection, principal.user)
    return [*own, *(row.name for row in await visible_datasets(connection, principal))]
