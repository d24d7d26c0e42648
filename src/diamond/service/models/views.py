"""Models as the API shows them, and finding a version by reference."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.artifacts import PREFIX
from diamond.core.errors import NotFound
from diamond.core.references import Reference, read_reference
from diamond.service.access.authorize import Action, require
from diamond.service.access.principal import Principal, Role
from diamond.service.endpoints.store import endpoints_by_id
from diamond.service.models import store
from diamond.service.models.rows import AliasMoveRow, AliasRow, ModelRow, VersionRow
from diamond.service.models.safety import kept_on_words
from diamond.service.models.schemas import Alias, AliasMove, Model, ModelVersion
from diamond.service.people.shares import MODEL, things_shared_with
from diamond.service.people.store import people_by_id
from diamond.service.trees.stored_copies import keeper_of


async def find_model(
    connection: AsyncConnection, principal: Principal, text: str, action: Action = Action.READ
) -> ModelRow:
    """By id, by name, or as `OWNER/NAME` if somebody shares it. A version in the reference is ignored."""
    model = await _named(connection, principal, read_reference(text))
    if model is None:
        names = await store.model_names(connection, principal.user, 8)
        known = f"Yours: {', '.join(names)}." if names else "You have none yet."
        raise NotFound(f"There is no model {text!r}", f"{known} `diamond model list` lists all.")
    require(principal, action, owner=model.owner, shared=Role.VIEWER, what="model")
    return model


async def find_version(connection: AsyncConnection, model: ModelRow, text: str) -> VersionRow:
    """`v3`, an alias, or `sha256:…`; '' is the newest."""
    reference = read_reference(f"{model.name}@{text}" if text else model.name)
    version = await _version(connection, model, reference)
    if version is not None:
        return version
    raise NotFound(
        f"{model.name} has no version {text or 'yet'!r}", await _known(connection, model)
    )


async def find_model_version(
    connection: AsyncConnection, principal: Principal, text: str
) -> tuple[ModelRow, VersionRow]:
    """What `NAME@production` means now."""
    model = await find_model(connection, principal, text)
    version = text.rpartition("/")[2].partition("@")[2]
    return model, await find_version(connection, model, version)


async def shared_ids(connection: AsyncConnection, principal: Principal) -> set[str]:
    return await things_shared_with(connection, MODEL, principal.user)


async def show_models(
    connection: AsyncConnection, principal: Principal, models: Sequence[ModelRow]
) -> list[Model]:
    """Each with its newest version and its aliases, by a few queries for all."""
    ids = [model.id for model in models]
    newest = await store.newest_versions(connection, ids)
    aliases = await store.aliases_of(connection, ids)
    people = await _names(connection, _people(models, newest.values(), aliases.values()))
    wanted = {keeper_of(row.kept_on) or row.kept_on for row in models if row.kept_on}
    keepers = await endpoints_by_id(connection, wanted)
    kept_on = {row.kept_on: kept_on_words(row.kept_on, keepers) for row in models}
    return [
        _show(model, newest.get(model.id), aliases[model.id], people, principal, kept_on)
        for model in models
    ]


async def show_versions(
    connection: AsyncConnection, model: ModelRow, versions: Sequence[VersionRow]
) -> list[ModelVersion]:
    aliases = (await store.aliases_of(connection, [model.id]))[model.id]
    people = await _names(connection, {version.created_by for version in versions})
    return [show_version(model, version, aliases, people) for version in versions]


def show_version(
    model: ModelRow, version: VersionRow, aliases: Iterable[AliasRow], people: dict[str, str]
) -> ModelVersion:
    return ModelVersion(
        model=model.name,
        number=version.number,
        digest=PREFIX + version.tree,
        size=version.size,
        files=version.files,
        task=version.task,
        result=version.result,
        format=version.format,
        signature=version.signature,
        metrics=version.metrics,
        has_curves=any(version.curves.values()),
        note=version.note,
        tags=list(version.tags),
        aliases=[alias.alias for alias in aliases if alias.version == version.number],
        created=version.created,
        created_by=people.get(version.created_by, ""),
    )


async def show_aliases(connection: AsyncConnection, aliases: Sequence[AliasRow]) -> list[Alias]:
    people = await _names(connection, {alias.moved_by for alias in aliases})
    return [_alias(alias, people) for alias in aliases]


async def show_moves(connection: AsyncConnection, moves: Sequence[AliasMoveRow]) -> list[AliasMove]:
    people = await _names(connection, {move.moved_by for move in moves})
    return [
        AliasMove(
            alias=move.alias,
            before=move.before,
            version=move.version,
            moved_by=people.get(move.moved_by, ""),
            at=move.at,
        )
        for move in moves
    ]


async def _named(
    connection: AsyncConnection, principal: Principal, reference: Reference
) -> ModelRow | None:
    if not reference.owner:
        own = await store.find_model(connection, principal.user, reference.name)
        if own is not None:
            return own
    shared = await store.models_by_id(connection, await shared_ids(connection, principal))
    by_id = await store.model_by_id(connection, reference.name)
    if by_id is not None and by_id.owner == principal.user:
        return by_id
    owners = await _owners(connection, {model.owner for model in shared}, reference.owner)
    matching = [
        model
        for model in shared
        if reference.name in (model.name, model.id) and model.owner in owners
    ]
    return matching[0] if len(matching) == 1 else None


async def _owners(connection: AsyncConnection, people: Collection[str], text: str) -> set[str]:
    """Those of these people that the text means; all if it is ''."""
    if not text:
        return set(people)
    rows = await people_by_id(connection, people)
    return {row.id for row in rows if text in (row.id, row.email)}


async def _version(
    connection: AsyncConnection, model: ModelRow, reference: Reference
) -> VersionRow | None:
    if reference.digest:
        versions = await store.versions_by_digest(connection, model.id, reference.digest)
        return versions[0] if versions else None
    number = reference.number or model.newest
    if reference.alias:
        alias = await store.find_alias(connection, model.id, reference.alias)
        number = alias.version if alias else 0
    return await store.find_version(connection, model.id, number) if number else None


async def _known(connection: AsyncConnection, model: ModelRow) -> str:
    aliases = (await store.aliases_of(connection, [model.id]))[model.id]
    words = [f"v1 to v{model.newest}"] if model.newest > 1 else ["v1"] * model.newest
    words += [alias.alias for alias in aliases]
    return f"It has {', '.join(words)}." if words else "Add one: diamond model add NAME TASK"


async def _names(connection: AsyncConnection, people: Collection[str]) -> dict[str, str]:
    return {row.id: row.name for row in await people_by_id(connection, people)} if people else {}


def _people(
    models: Iterable[ModelRow], newest: Iterable[VersionRow], aliases: Iterable[Sequence[AliasRow]]
) -> set[str]:
    people = {model.owner for model in models} | {version.created_by for version in newest}
    return people | {alias.moved_by for some in aliases for alias in some}


def _show(
    model: ModelRow,
    newest: VersionRow | None,
    aliases: Sequence[AliasRow],
    people: dict[str, str],
    principal: Principal,
    kept_on: Mapping[str, str],
) -> Model:
    is_own = model.owner == principal.user
    return Model(
        id=model.id,
        owner=model.owner,
        owner_name=people.get(model.owner, ""),
        is_own=is_own,
        name=model.name,
        description=model.description,
        license=model.license,
        intended_use=model.intended_use,
        tags=list(model.tags),
        created=model.created,
        updated=model.updated,
        kept_on=kept_on.get(model.kept_on, "") if is_own else "",
        newest=show_version(model, newest, aliases, people) if newest else None,
        aliases=[_alias(alias, people) for alias in aliases],
    )


def _alias(alias: AliasRow, people: dict[str, str]) -> Alias:
    return Alias(
        alias=alias.alias,
        version=alias.version,
        moved_by=people.get(alias.moved_by, ""),
        at=alias.at,
    )
