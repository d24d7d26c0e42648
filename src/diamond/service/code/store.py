"""Which tasks, models and links name code, and which code was removed."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Sequence

from sqlalchemy import (
    JSON,
    ColumnElement,
    String,
    Table,
    Text,
    case,
    cast,
    delete,
    func,
    insert,
    select,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.artifacts import PREFIX, ArtifactKind, plain_digest
from diamond.core.task import FINAL_WORDS
from diamond.service.artifacts.rows import ArtifactRow
from diamond.service.artifacts.store import portions
from diamond.service.code.needs import CodeNeeds
from diamond.service.code.references import DIGEST, WITHOUT
from diamond.service.code.rows import CodeUseRow, RemovedCodeRow
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.prefix import starts_with
from diamond.service.platform.database.rows import row_of, rows_of, values_of
from diamond.service.platform.database.tables import (
    artifacts,
    jobs,
    metadata,
    model_versions,
    record_links,
    removed_code,
    tasks,
)

SNAPSHOT: ColumnElement[str] = jobs.c.code["snapshot"].as_string()
DIFF: ColumnElement[str] = jobs.c.code["diff"].as_string()
EXPLAINED = frozenset(
    {
        "audit",
        "endpoints",
        "image_moves",
        "images",
        "imported_curves",
        "imported_runs",
        "log_streams",
        "metric_series",
        "results",
        "scans",
        "tree_transfers",
        "trees",
        "commands",
        "idempotency",
        "jobs",
        "lineage_edges",
        "notifications",
        "record_entries",
        "record_imports",
        "record_links",
        "records",
        "removed_code",
        "reproductions",
        "run_summaries",
        "tasks",
    }
)
"""Tables that name the code of tasks (whether these have ended is looked at), and large ones that name none. Any other that names code needs it."""
WORDS = {"assignments": "an assignment of a course", "scales": "a scale that has not ended"}


async def snapshots_of(connection: AsyncConnection, owner: str) -> list[ArtifactRow]:
    query = select(artifacts).where(
        artifacts.c.owner == owner, artifacts.c.kind == ArtifactKind.SNAPSHOT.value
    )
    return rows_of(await connection.execute(query), ArtifactRow)


async def snapshots_with_prefix(
    connection: AsyncConnection, owner: str, prefix: str
) -> list[ArtifactRow]:
    query = select(artifacts).where(
        artifacts.c.owner == owner,
        artifacts.c.kind == ArtifactKind.SNAPSHOT.value,
        starts_with(artifacts.c.digest, prefix),
    )
    return rows_of(await connection.execute(query.limit(2)), ArtifactRow)


async def sizes_of(connection: AsyncConnection, owner: str) -> dict[str, int]:
    """Of all of a person's code, by digest."""
    kinds = (ArtifactKind.FILE.value, ArtifactKind.SNAPSHOT.value)
    query = select(artifacts.c.digest, artifacts.c.size).where(
        artifacts.c.owner == owner, artifacts.c.kind.in_(kinds)
    )
    return {row.digest: row.size for row in await connection.execute(query)}


async def people_with_code(connection: AsyncConnection) -> list[str]:
    query = (
        select(artifacts.c.owner).distinct().where(artifacts.c.kind == ArtifactKind.SNAPSHOT.value)
    )
    return sorted((await connection.execute(query)).scalars())


async def needs_of(connection: AsyncConnection, owner: str) -> dict[str, CodeNeeds]:
    """By the plain digest of a snapshot, without `others`."""
    uses: dict[str, list[CodeUseRow]] = {}
    for use in await _uses(connection, owner):
        uses.setdefault(plain_digest(use.snapshot), []).append(use)
    models, links = await _models(connection, owner), await _links(connection, owner)
    return {
        digest: CodeNeeds(rows, models.get(digest, 0), links[digest])
        for digest, rows in uses.items()
    }


async def named_elsewhere(connection: AsyncConnection, owner: str) -> dict[str, list[str]]:
    """Digests that a person's rows name besides those of tasks, with what names them. Every table is looked at, so that none is forgotten."""
    named: dict[str, list[str]] = {}
    for table in metadata.sorted_tables:
        if table.name not in WITHOUT | EXPLAINED and "owner" in table.columns:
            words = WORDS.get(table.name, f"an entry of {table.name}")
            for digest in await _digests_in(connection, table, owner):
                named.setdefault(digest, []).append(words)
    return named


async def all_diffs(connection: AsyncConnection, owner: str) -> set[str]:
    query = select(DIFF).distinct().where(jobs.c.owner == owner, DIFF != "")
    return {plain_digest(diff) for diff in (await connection.execute(query)).scalars()}


async def diffs_of(connection: AsyncConnection, owner: str, digest: str) -> set[str]:
    """Changes since a commit that belong to this snapshot's jobs alone."""
    of_owner = jobs.c.owner == owner, DIFF != ""
    is_it = SNAPSHOT.in_([digest, PREFIX + digest])
    own = await connection.execute(select(DIFF).distinct().where(*of_owner, is_it))
    others = await connection.execute(select(DIFF).distinct().where(*of_owner, ~is_it))
    return {plain_digest(diff) for diff in own.scalars()} - {
        plain_digest(diff) for diff in others.scalars()
    }


async def note_removed(
    tx: Transaction, owner: str, digests: Collection[str], *, by_rule: bool
) -> None:
    now = time.time()
    rows = [RemovedCodeRow(owner, digest, now, by_rule) for digest in digests]
    await forget_removed(tx, owner, digests)
    await tx.connection.execute(insert(removed_code), [values_of(row) for row in rows])


async def forget_removed(tx: Transaction, owner: str, digests: Collection[str]) -> None:
    """They were sent again."""
    for some in portions(sorted(digests)):
        gone = removed_code.c.owner == owner, removed_code.c.digest.in_(some)
        await tx.connection.execute(delete(removed_code).where(*gone))


async def find_removed(
    connection: AsyncConnection, owner: str, digest: str
) -> RemovedCodeRow | None:
    query = select(removed_code).where(
        removed_code.c.owner == owner, removed_code.c.digest == plain_digest(digest)
    )
    return row_of(await connection.execute(query), RemovedCodeRow)


async def all_removed(connection: AsyncConnection) -> set[str]:
    return set((await connection.execute(select(removed_code.c.digest).distinct())).scalars())


async def _uses(connection: AsyncConnection, owner: str) -> Sequence[CodeUseRow]:
    is_open = case((tasks.c.state.in_(sorted(FINAL_WORDS)), 0), else_=1)
    query = (
        select(
            SNAPSHOT.label("snapshot"),
            tasks.c.project,
            func.count().label("tasks"),
            func.sum(is_open).label("unfinished"),
            func.max(tasks.c.ended).label("ended"),
            func.max(tasks.c.name).label("name"),
        )
        .join(jobs, jobs.c.id == tasks.c.job)
        .where(jobs.c.owner == owner, SNAPSHOT != "")
        .group_by("snapshot", tasks.c.project)  # By its label: PostgreSQL sees that it is the same.
    )
    return rows_of(await connection.execute(query), CodeUseRow)


async def _models(connection: AsyncConnection, owner: str) -> dict[str, int]:
    query = (
        select(SNAPSHOT.label("snapshot"), func.count())
        .select_from(model_versions)
        .join(tasks, tasks.c.id == model_versions.c.task)
        .join(jobs, jobs.c.id == tasks.c.job)
        .where(model_versions.c.owner == owner, SNAPSHOT != "")
        .group_by("snapshot")
    )
    return {plain_digest(digest): count for digest, count in await connection.execute(query)}


async def _links(connection: AsyncConnection, owner: str) -> Counter[str]:
    """How many links for reviewers that still work name a task with each snapshot."""
    query = select(record_links.c.tasks).where(
        record_links.c.owner == owner, record_links.c.expires > time.time()
    )
    linked = [set(ids) for ids in (await connection.execute(query)).scalars()]
    wanted = set().union(*linked)
    codes = (
        select(tasks.c.id, SNAPSHOT)
        .join(jobs, jobs.c.id == tasks.c.job)
        .where(tasks.c.id.in_(wanted), SNAPSHOT != "")
    )
    digests = {task: plain_digest(code) for task, code in await connection.execute(codes)}
    named = [{digests[task] for task in ids if task in digests} for ids in linked]
    return Counter(digest for one in named for digest in one)


async def _digests_in(connection: AsyncConnection, table: Table, owner: str) -> set[str]:
    texts = [
        cast(column, Text)
        for column in table.columns
        if isinstance(column.type, (String, JSON)) and not column.primary_key
    ]
    digests: set[str] = set()
    if texts:
        rows = await connection.execute(select(*texts).where(table.c.owner == owner))
        for row in rows:
            digests.update(DIGEST.findall(" ".join(str(text) for text in row if text)))
    return digests
