"""Datasets, their versions and uses in the database."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import case, delete, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.task import FINAL_WORDS
from diamond.service.datasets.rows import AdditionRow, DatasetRow, UseRow, VersionRow
from diamond.service.platform.database.batches import in_batches
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.paging import Page, page_of
from diamond.service.platform.database.prefix import starts_with
from diamond.service.platform.database.rows import encoded, row_of, rows_of, values_of
from diamond.service.platform.database.tables import (
    dataset_additions,
    dataset_uses,
    dataset_versions,
    datasets,
    scans,
    tasks,
)
from diamond.service.tasks.rows import TaskRow


async def list_datasets(
    connection: AsyncConnection, owner: str, *, search: str, limit: int, cursor: str | None
) -> Page[DatasetRow]:
    """The newest first; each word of `search` stands in the name or the description."""
    words = [_mentions(word) for word in search.split()]
    return await page_of(
        connection,
        DatasetRow,
        [select(datasets).where(datasets.c.owner == owner, *words)],
        keys=(datasets.c.created, datasets.c.id),
        descending=True,
        limit=limit,
        cursor=cursor,
    )


async def find_own(connection: AsyncConnection, owner: str, text: str) -> DatasetRow | None:
    """By name or id; a name wins."""
    called = or_(datasets.c.name == text, datasets.c.id == text)
    found = await connection.execute(select(datasets).where(datasets.c.owner == owner, called))
    rows = rows_of(found, DatasetRow)
    return min(rows, key=lambda row: row.name != text, default=None)


async def datasets_by_id(
    connection: AsyncConnection, ids: Collection[str]
) -> dict[str, DatasetRow]:
    if not ids:
        return {}
    found = await connection.execute(select(datasets).where(datasets.c.id.in_(sorted(ids))))
    return {row.id: row for row in rows_of(found, DatasetRow)}


async def datasets_in(connection: AsyncConnection, projects: Collection[str]) -> list[DatasetRow]:
    if not projects:
        return []
    query = select(datasets).where(datasets.c.project.in_(sorted(projects)))
    return rows_of(await connection.execute(query), DatasetRow)


async def names_of(connection: AsyncConnection, owner: str, limit: int = 100) -> list[str]:
    query = select(datasets.c.name).where(datasets.c.owner == owner)
    found = await connection.execute(query.order_by(datasets.c.created.desc()).limit(limit))
    return list(found.scalars())


async def add_dataset(tx: Transaction, dataset: DatasetRow) -> None:
    await tx.connection.execute(insert(datasets), values_of(dataset))


async def change_dataset(tx: Transaction, dataset: str, **values: Any) -> None:
    """Set some columns, named as the fields of `DatasetRow`."""
    changed = update(datasets).where(datasets.c.id == dataset)
    values = {**encoded(DatasetRow, values), "updated": time.time()}
    await tx.connection.execute(changed.values(values))


async def lock_dataset(tx: Transaction, dataset: str) -> DatasetRow | None:
    """Two versions that end at once get two numbers."""
    query = select(datasets).where(datasets.c.id == dataset).with_for_update()
    return row_of(await tx.connection.execute(query), DatasetRow)


async def delete_dataset(tx: Transaction, dataset: str) -> None:
    for table in (dataset_uses, dataset_additions, dataset_versions):
        await tx.connection.execute(delete(table).where(table.c.dataset == dataset))
    await tx.connection.execute(delete(datasets).where(datasets.c.id == dataset))


async def versions_of(
    connection: AsyncConnection, ids: Collection[str]
) -> dict[str, list[VersionRow]]:
    """By dataset, the newest first."""
    grouped: dict[str, list[VersionRow]] = {key: [] for key in ids}
    if not grouped:
        return grouped
    query = select(dataset_versions).where(dataset_versions.c.dataset.in_(sorted(ids)))
    found = await connection.execute(query.order_by(dataset_versions.c.n.desc()))
    for row in rows_of(found, VersionRow):
        grouped[row.dataset].append(row)
    return grouped


async def versions_called(
    connection: AsyncConnection, dataset: str, *, number: int, digest: str
) -> list[VersionRow]:
    query = select(dataset_versions).where(dataset_versions.c.dataset == dataset)
    if number:
        query = query.where(dataset_versions.c.n == number)
    if digest:
        query = query.where(starts_with(dataset_versions.c.tree, digest))
    found = await connection.execute(query.order_by(dataset_versions.c.n.desc()).limit(6))
    return rows_of(found, VersionRow)


async def add_version(tx: Transaction, version: VersionRow) -> None:
    await tx.connection.execute(insert(dataset_versions), values_of(version))
    await change_dataset(tx, version.dataset, last=version.n)


async def change_version(tx: Transaction, dataset: str, n: int, **values: Any) -> None:
    changed = update(dataset_versions).where(
        dataset_versions.c.dataset == dataset, dataset_versions.c.n == n
    )
    await tx.connection.execute(changed.values(encoded(VersionRow, values)))


async def delete_version(tx: Transaction, dataset: str, n: int) -> None:
    """Its number is never given again."""
    for table in (dataset_uses, dataset_versions):
        await tx.connection.execute(delete(table).where(table.c.dataset == dataset, table.c.n == n))


async def versions_of_tree(connection: AsyncConnection, trees: Collection[str]) -> list[VersionRow]:
    """Versions of anybody that are these trees; what is shown of them is decided elsewhere."""
    if not trees:
        return []
    query = select(dataset_versions).where(dataset_versions.c.tree.in_(sorted(set(trees))))
    return rows_of(await connection.execute(query), VersionRow)


async def last_checks(
    connection: AsyncConnection, owner: str, trees: Collection[str]
) -> dict[tuple[str, str], float]:
    """When a tree was last read or looked at on an endpoint, by tree and endpoint."""
    if not trees:
        return {}
    query = (
        select(scans.c.tree, scans.c.endpoint, func.max(scans.c.updated))
        .where(
            scans.c.owner == owner,
            scans.c.tree.in_(sorted(set(trees))),
            scans.c.state == "done",
            scans.c.act.in_(("scan", "check", "import")),
        )
        .group_by(scans.c.tree, scans.c.endpoint)
    )
    return {(tree, endpoint): float(at) for tree, endpoint, at in await connection.execute(query)}


async def open_uses_on(
    connection: AsyncConnection, ids: Collection[str], owner: str
) -> dict[tuple[int, str], int]:
    """Tasks of this person that have not ended, by version number and endpoint."""
    joined = dataset_uses.join(tasks, tasks.c.id == dataset_uses.c.task)
    query = (
        select(dataset_uses.c.n, tasks.c.endpoint, func.count(tasks.c.id.distinct()))
        .select_from(joined)
        .where(
            dataset_uses.c.dataset.in_(sorted(ids)),
            dataset_uses.c.owner == owner,
            tasks.c.state.not_in(sorted(FINAL_WORDS)),
        )
        .group_by(dataset_uses.c.n, tasks.c.endpoint)
    )
    return {(n, endpoint): int(many) for n, endpoint, many in await connection.execute(query)}


async def add_addition(tx: Transaction, addition: AdditionRow) -> None:
    await tx.connection.execute(insert(dataset_additions), values_of(addition))


async def settle_addition(tx: Transaction, addition: str, version: int, *, is_new: bool) -> None:
    settled = update(dataset_additions).where(dataset_additions.c.id == addition)
    await tx.connection.execute(settled.values(version=version, is_new=is_new))


async def find_addition(connection: AsyncConnection, addition: str) -> AdditionRow | None:
    query = select(dataset_additions).where(dataset_additions.c.id == addition)
    return row_of(await connection.execute(query), AdditionRow)


async def import_of(connection: AsyncConnection, dataset: str, n: int) -> AdditionRow | None:
    """The newest fetch that gave this version."""
    query = select(dataset_additions).where(
        dataset_additions.c.dataset == dataset,
        dataset_additions.c.version == n,
        dataset_additions.c.kind == "import",
    )
    newest = query.order_by(dataset_additions.c.created.desc()).limit(1)
    return row_of(await connection.execute(newest), AdditionRow)


async def additions_of(connection: AsyncConnection, ids: Collection[str]) -> list[AdditionRow]:
    """The last ones of these datasets, the newest first."""
    query = select(dataset_additions).where(dataset_additions.c.dataset.in_(sorted(ids)))
    found = await connection.execute(query.order_by(dataset_additions.c.created.desc()).limit(100))
    return rows_of(found, AdditionRow)


async def add_uses(tx: Transaction, uses: Sequence[UseRow]) -> None:
    if uses:
        await tx.connection.execute(insert(dataset_uses), [values_of(use) for use in uses])


async def uses_by_task(connection: AsyncConnection, task: str) -> list[UseRow]:
    query = select(dataset_uses).where(dataset_uses.c.task == task)
    return rows_of(await connection.execute(query), UseRow)


async def uses_by_tasks(connection: AsyncConnection, ids: Collection[str]) -> list[UseRow]:
    uses: list[UseRow] = []
    for batch in in_batches(sorted(ids)):
        query = select(dataset_uses).where(dataset_uses.c.task.in_(batch))
        uses += rows_of(await connection.execute(query), UseRow)
    return uses


async def count_uses(
    connection: AsyncConnection, ids: Collection[str], owner: str
) -> dict[str, tuple[int, int]]:
    """How many tasks of this person use each dataset, and how many of them have not ended."""
    joined = dataset_uses.join(tasks, tasks.c.id == dataset_uses.c.task)
    is_open = func.sum(case((tasks.c.state.in_(sorted(FINAL_WORDS)), 0), else_=1))
    query = select(dataset_uses.c.dataset, func.count(), is_open).select_from(joined)
    found = await connection.execute(
        query.where(
            dataset_uses.c.dataset.in_(sorted(ids)), dataset_uses.c.owner == owner
        ).group_by(dataset_uses.c.dataset)
    )
    return {dataset: (int(many), int(still)) for dataset, many, still in found}


async def count_open_uses(connection: AsyncConnection, dataset: str, n: int = 0) -> int:
    """Tasks that need it (or one version of it) and have not ended."""
    joined = dataset_uses.join(tasks, tasks.c.id == dataset_uses.c.task)
    query = (
        select(func.count(tasks.c.id.distinct()))
        .select_from(joined)
        .where(dataset_uses.c.dataset == dataset, tasks.c.state.not_in(sorted(FINAL_WORDS)))
    )
    if n:
        query = query.where(dataset_uses.c.n == n)
    return int((await connection.execute(query)).scalar_one())


async def trees_in_use(connection: AsyncConnection, endpoint: str) -> set[str]:
    """Trees that a task there needs which has not ended, whoever's it is."""
    joined = dataset_uses.join(tasks, tasks.c.id == dataset_uses.c.task).join(
        dataset_versions,
        (dataset_versions.c.dataset == dataset_uses.c.dataset)
        & (dataset_versions.c.n == dataset_uses.c.n),
    )
    query = (
        select(dataset_versions.c.tree)
        .select_from(joined)
        .where(tasks.c.endpoint == endpoint, tasks.c.state.not_in(sorted(FINAL_WORDS)))
    )
    return set((await connection.execute(query)).scalars())


async def uses_of(
    connection: AsyncConnection, dataset: str, owner: str, *, limit: int, cursor: str | None
) -> Page[TaskRow]:
    """Tasks of this person that read any version of it, newest first."""
    used = select(dataset_uses.c.task).where(
        dataset_uses.c.dataset == dataset, dataset_uses.c.owner == owner
    )
    return await page_of(
        connection,
        TaskRow,
        [select(tasks).where(tasks.c.id.in_(used))],
        keys=(tasks.c.created, tasks.c.id),
        descending=True,
        limit=limit,
        cursor=cursor,
    )


def _mentions(word: str) -> Any:
    text = word.lower()
    return or_(
        func.lower(datasets.c.name).contains(text, autoescape=True),
        func.lower(datasets.c.description).contains(text, autoescape=True),
    )
