"""What `model:NAME@v3` under `data:` of a spec means for its owner."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.compose.data import MODEL_PREFIX, DatasetFacts, KnownData
from diamond.core.errors import DiamondError
from diamond.service.access.principal import Kind, Principal
from diamond.service.models import store
from diamond.service.models.views import find_model_version
from diamond.service.people.shares import roles_and_courses
from diamond.service.people.store import find_user


async def known_models(
    connection: AsyncConnection, owner: str, texts: Collection[str]
) -> KnownData:
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
            problems[text] = (error.message, error.hint)
    names = await store.model_names(connection, owner)
    return KnownData(versions, problems, [MODEL_PREFIX + name for name in names])


async def _facts(connection: AsyncConnection, principal: Principal, text: str) -> DatasetFacts:
    model, version = await find_model_version(
        connection, principal, text.removeprefix(MODEL_PREFIX)
    )
    is_own = model.owner == principal.user
    owner = None if is_own else await find_user(connection, model.owner)
    return DatasetFacts(
        dataset=model.id,
        name=MODEL_PREFIX + (model.name if is_own else f"{model.owner}/{model.name}"),
        version=version.number,
        tree=version.tree,
        layout="files",
        owner=owner.name if owner else "",
        shared_by="" if is_own else model.owner,
    )
