"""The dataset and version that a word means, for one caller: their own first, then what others let them see."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import Conflict, NotFound
from diamond.core.references import Reference, read_reference
from diamond.service.access.authorize import Action, require, role_of
from diamond.service.access.principal import Principal, Role
from diamond.service.datasets import store
from diamond.service.datasets.rows import DatasetRow, VersionRow
from diamond.service.people.rows import UserRow
from diamond.service.people.shares import DATASET, things_shared_with
from diamond.service.people.store import people_by_id

LISTED = 20
"""Versions that an error names."""


@dataclass(frozen=True)
class Found:
    dataset: DatasetRow
    version: VersionRow


async def find_dataset(
    connection: AsyncConnection, principal: Principal, text: str, action: Action = Action.READ
) -> DatasetRow:
    """By name, id, or OWNER/NAME."""
    reference = read_reference(text)
    dataset = await _one(connection, principal, reference)
    if dataset is None:
        raise NotFound(f"There is no dataset {text!r}", "`diamond data list` lists what there is.")
    shared = None if dataset.owner == principal.user else Role.VIEWER
    require(principal, action, owner=dataset.owner, shared=shared, what="dataset")
    return dataset


async def find_version(
    connection: AsyncConnection, dataset: DatasetRow, text: str = ""
) -> VersionRow:
    """`v2`, `2`, `sha256:…`; '' is the newest."""
    number = f"v{text}" if text.isdigit() else text
    wanted = read_reference(f"{dataset.name}@{number}" if text else dataset.name)
    return await pick_version(connection, dataset, wanted)


async def find_reference(connection: AsyncConnection, principal: Principal, text: str) -> Found:
    """NAME, NAME@v2, NAME@sha256:…, OWNER/NAME…; without a version, the newest."""
    reference = read_reference(text)
    dataset = await _one(connection, principal, reference)
    if dataset is None:
        name = text.partition("@")[0]
        raise NotFound(f"There is no dataset {name!r}", "`diamond data list` lists what there is.")
    return Found(dataset, await pick_version(connection, dataset, reference))


async def pick_version(
    connection: AsyncConnection, dataset: DatasetRow, wanted: Reference
) -> VersionRow:
    rows = await store.versions_called(
        connection, dataset.id, number=wanted.number, digest=wanted.digest
    )
    rows = [] if wanted.alias else rows
    is_one_tree = len({row.tree for row in rows}) == 1
    if is_one_tree or (rows and wanted.is_newest):
        return rows[0]
    known = (await store.versions_of(connection, [dataset.id]))[dataset.id]
    if not known:
        raise NotFound(
            f"{dataset.name} has no version yet",
            f"Follow it: diamond data show {dataset.name}",
        )
    names = ", ".join(row.name for row in known[:LISTED])
    version = str(wanted).partition("@")[2]
    if rows:
        raise Conflict(f"{wanted} means several versions", f"Versions: {names}")
    raise NotFound(f"{dataset.name} has no version {version!r}", f"Versions: {names}")


async def visible_datasets(connection: AsyncConnection, principal: Principal) -> list[DatasetRow]:
    """Of others: shared with the caller, or in one of their projects; the newest first."""
    shared = await store.datasets_by_id(
        connection, await things_shared_with(connection, DATASET, principal.user)
    )
    in_projects = await store.datasets_in(connection, list(principal.projects))
    seen = {
        row.id: row
        for row in in_projects
        if role_of(principal, owner=row.owner, project=row.project) is not None
    }
    rows = {**seen, **shared}.values()
    others = [row for row in rows if row.owner != principal.user]
    return sorted(others, key=lambda row: -row.created)


async def named_versions(
    connection: AsyncConnection, principal: Principal, trees: Collection[str]
) -> dict[str, VersionRow]:
    """By tree, the version that the caller knows it as: their own, else one that they may see; never anybody else's."""
    seen = {row.id for row in await visible_datasets(connection, principal)}
    known: dict[str, VersionRow] = {}
    for version in await store.versions_of_tree(connection, trees):
        if version.owner == principal.user:
            known[version.tree] = version
        elif version.dataset in seen:
            known.setdefault(version.tree, version)
    return known


async def _one(
    connection: AsyncConnection, principal: Principal, reference: Reference
) -> DatasetRow | None:
    """The queries are the same whether or not others have such a name: timing gives nothing away."""
    own = await store.find_own(connection, principal.user, reference.name)
    others = [
        row
        for row in await visible_datasets(connection, principal)
        if reference.name in (row.id, row.name)
    ]
    people = await _owners(connection, {principal.user, *(row.owner for row in others)})
    if not reference.owner:
        if own is not None:
            return own
        _require_one(others, people)
        return others[0] if others else None
    named = [row for row in (own, *others) if row is not None]
    named = [row for row in named if _is_called(people.get(row.owner), reference.owner)]
    _require_one(named, people)
    return named[0] if named else None


def _require_one(rows: list[DatasetRow], people: dict[str, UserRow]) -> None:
    if len(rows) > 1:
        names = ", ".join(f"{people[row.owner].name}/{row.name}" for row in rows)
        raise Conflict(f"{rows[0].name} means several datasets", f"Name its owner: {names}")


def _is_called(person: UserRow | None, text: str) -> bool:
    """By id, address or name. An address is never a name: people choose their own names."""
    if person is None:
        return False
    name = "" if "@" in text else person.name.lower()
    return text.lower() in (person.id, name, person.email.lower())


async def _owners(connection: AsyncConnection, ids: set[str]) -> dict[str, UserRow]:
    return {person.id: person for person in await people_by_id(connection, ids)}
