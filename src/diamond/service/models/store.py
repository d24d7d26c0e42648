"""Models, their versions and aliases in the database."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import delete, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.models.rows import AliasMoveRow, AliasRow, ModelRow, PushRow, VersionRow
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.paging import Page, page_of
from diamond.service.platform.database.prefix import starts_with
from diamond.service.platform.database.rows import encoded, row_of, rows_of, values_of
from diamond.service.platform.database.tables import (
    model_alias_moves,
    model_aliases,
    model_pushes,
    model_versions,
    models,
)

MOST_MOVES = 200


async def list_models(
    connection: AsyncConnection,
    owner: str,
    *,
    shared: Collection[str],
    search: str,
    limit: int,
    cursor: str | None,
) -> Page[ModelRow]:
    """A person's own and those with these ids, newest change first. Each word of `search` stands in name, text or tags."""
    readable = or_(models.c.owner == owner, models.c.id.in_(shared))
    query = select(models).where(readable, *map(_mentions, search.lower().split()))
    return await page_of(
        connection,
        ModelRow,
        [query],
        keys=(models.c.updated, models.c.id),
        descending=True,
        limit=limit,
        cursor=cursor,
    )


async def find_model(connection: AsyncConnection, owner: str, name: str) -> ModelRow | None:
    query = select(models).where(models.c.owner == owner, models.c.name == name)
    return row_of(await connection.execute(query), ModelRow)


async def model_by_id(connection: AsyncConnection, model: str) -> ModelRow | None:
    return row_of(await connection.execute(select(models).where(models.c.id == model)), ModelRow)


async def models_by_id(connection: AsyncConnection, ids: Collection[str]) -> list[ModelRow]:
    query = select(models).where(models.c.id.in_(ids)).order_by(models.c.name, models.c.id)
    return rows_of(await connection.execute(query), ModelRow)


async def model_names(connection: AsyncConnection, owner: str, limit: int = 50) -> list[str]:
    query = select(models.c.name).where(models.c.owner == owner).order_by(models.c.updated.desc())
    return list((await connection.execute(query.limit(limit))).scalars())


async def add_model(tx: Transaction, model: ModelRow) -> None:
    await tx.connection.execute(insert(models), values_of(model))


async def change_model(tx: Transaction, model: str, **values: Any) -> None:
    changed = update(models).where(models.c.id == model)
    await tx.connection.execute(changed.values(encoded(ModelRow, values)))


async def delete_model(tx: Transaction, model: str) -> None:
    for table in (model_alias_moves, model_aliases, model_versions):
        await tx.connection.execute(delete(table).where(table.c.model == model))
    await tx.connection.execute(delete(models).where(models.c.id == model))


async def list_versions(
    connection: AsyncConnection, model: str, *, limit: int, cursor: str | None
) -> Page[VersionRow]:
    query = select(model_versions).where(model_versions.c.model == model)
    return await page_of(
        connection,
        VersionRow,
        [query],
        keys=(model_versions.c.number, model_versions.c.model),
        descending=True,
        limit=limit,
        cursor=cursor,
    )


async def newest_versions(connection: AsyncConnection, ids: Sequence[str]) -> dict[str, VersionRow]:
    newest = (
        select(model_versions.c.model, func.max(model_versions.c.number).label("number"))
        .where(model_versions.c.model.in_(ids))
        .group_by(model_versions.c.model)
        .subquery()
    )
    query = select(model_versions).join(
        newest,
        (newest.c.model == model_versions.c.model) & (newest.c.number == model_versions.c.number),
    )
    rows = rows_of(await connection.execute(query), VersionRow)
    return {row.model: row for row in rows}


async def find_version(connection: AsyncConnection, model: str, number: int) -> VersionRow | None:
    query = select(model_versions).where(
        model_versions.c.model == model, model_versions.c.number == number
    )
    return row_of(await connection.execute(query), VersionRow)


async def versions_by_digest(
    connection: AsyncConnection, model: str, digest: str
) -> list[VersionRow]:
    """Those whose digest begins so, the newest first."""
    query = select(model_versions).where(
        model_versions.c.model == model, starts_with(model_versions.c.tree, digest)
    )
    newest = query.order_by(model_versions.c.number.desc())
    return rows_of(await connection.execute(newest.limit(6)), VersionRow)


async def versions_of_task(connection: AsyncConnection, task: str) -> list[VersionRow]:
    query = select(model_versions).where(model_versions.c.task == task)
    return rows_of(await connection.execute(query.order_by(model_versions.c.created)), VersionRow)


async def versions_of_trees(
    connection: AsyncConnection, owner: str, trees: Collection[str]
) -> list[VersionRow]:
    query = select(model_versions).where(
        model_versions.c.owner == owner, model_versions.c.tree.in_(trees)
    )
    return rows_of(await connection.execute(query), VersionRow)


async def trees_of(connection: AsyncConnection, model: str) -> list[str]:
    """Of all its versions."""
    query = select(model_versions.c.tree).where(model_versions.c.model == model).distinct()
    return list((await connection.execute(query)).scalars())


async def add_version(tx: Transaction, version: VersionRow) -> None:
    await tx.connection.execute(insert(model_versions), values_of(version))


async def change_version(tx: Transaction, model: str, number: int, **values: Any) -> None:
    changed = update(model_versions).where(
        model_versions.c.model == model, model_versions.c.number == number
    )
    await tx.connection.execute(changed.values(encoded(VersionRow, values)))


async def aliases_of(
    connection: AsyncConnection, ids: Collection[str]
) -> dict[str, list[AliasRow]]:
    query = select(model_aliases).where(model_aliases.c.model.in_(ids))
    aliases: dict[str, list[AliasRow]] = {model: [] for model in ids}
    for row in rows_of(await connection.execute(query.order_by(model_aliases.c.alias)), AliasRow):
        aliases[row.model].append(row)
    return aliases


async def find_alias(connection: AsyncConnection, model: str, alias: str) -> AliasRow | None:
    query = select(model_aliases).where(
        model_aliases.c.model == model, model_aliases.c.alias == alias
    )
    return row_of(await connection.execute(query), AliasRow)


async def put_alias(tx: Transaction, alias: AliasRow) -> None:
    await drop_alias(tx, alias.model, alias.alias)
    await tx.connection.execute(insert(model_aliases), values_of(alias))


async def drop_alias(tx: Transaction, model: str, alias: str) -> None:
    gone = delete(model_aliases).where(
        model_aliases.c.model == model, model_aliases.c.alias == alias
    )
    await tx.connection.execute(gone)


async def add_move(tx: Transaction, move: AliasMoveRow) -> None:
    values = values_of(move)
    del values["id"]
    await tx.connection.execute(insert(model_alias_moves), values)


async def moves_of(connection: AsyncConnection, model: str) -> list[AliasMoveRow]:
    """The newest first."""
    query = select(model_alias_moves).where(model_alias_moves.c.model == model)
    newest = query.order_by(model_alias_moves.c.id.desc()).limit(MOST_MOVES)
    return rows_of(await connection.execute(newest), AliasMoveRow)


async def add_push(tx: Transaction, push: PushRow) -> None:
    await tx.connection.execute(insert(model_pushes), values_of(push))


async def find_push(connection: AsyncConnection, push: str) -> PushRow | None:
    query = select(model_pushes).where(model_pushes.c.id == push)
    return row_of(await connection.execute(query), PushRow)


async def pushes_by_id(connection: AsyncConnection, ids: Collection[str]) -> list[PushRow]:
    query = select(model_pushes).where(model_pushes.c.id.in_(ids))
    return rows_of(await connection.execute(query), PushRow)


async def change_push(tx: Transaction, push: str, **values: Any) -> None:
    changed = update(model_pushes).where(model_pushes.c.id == push)
    await tx.connection.execute(changed.values(encoded(PushRow, values)))


def _mentions(word: str) -> Any:
    texts = (models.c.name, models.c.description, models.c.tags)
    return or_(*(func.lower(text).contains(word, autoescape=True) for text in texts))
