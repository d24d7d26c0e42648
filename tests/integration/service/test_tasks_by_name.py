"""Tasks by a part of their name: whatever way the store takes, the pages are those of a plain search."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, select, text
from sqlalchemy.dialects import sqlite

from diamond.service.access.principal import LOCAL_USER
from diamond.service.people.first_start import first_start
from diamond.service.platform.database.engine import Store, Transaction
from diamond.service.platform.database.tables import name_endings, tasks
from diamond.service.tasks import task_list
from diamond.service.tasks.job_store import add_job
from diamond.service.tasks.store import add_task
from diamond.service.tasks.task_list import TaskFilter, list_tasks
from support.database import open_store, with_store
from support.task_rows import job_row, task_row

COUNT = 240
LONG = "a-name-that-is-longer-than-an-ending-of-it-may-be"
COMMON = ["digits-1", "digits-22", "Digits-3", "aaaa", "100%_sure", "Käse", "x y"]
PARTS = ["rare", "digits", "DIGITS-2", "d", "%", "_", "aa", "äs", "Ä", " ", LONG, f"{LONG}2", "no"]
WAYS = {
    "a common part is found nearby": {"LOOKED_THROUGH": COUNT},
    "a rare one by its names": {"LOOKED_THROUGH": 10},
    "many names by one question": {"LOOKED_THROUGH": 10, "RANGES_AT_MOST": 1},
    "too many names by looking at all": {"LOOKED_THROUGH": 10, "NAMES_AT_MOST": 0},
    "too many tasks too": {"LOOKED_THROUGH": 10, "RANGES_AT_MOST": 0, "GATHERED_AT_MOST": 3},
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_search_gives_the_same_pages(
    tmp_path: Path, database_url: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in WAYS[way].items():
        monkeypatch.setattr(task_list, name, value)

    async def look(store: Store) -> None:
        await fill(store)
        for part in PARTS:
            for sort in ("-created", "created", "-updated", "name"):
                wanted = TaskFilter(name=part, sort=sort)
                assert await paged(store, wanted) == await searched(store, wanted), (part, sort)
        for wanted in (
            TaskFilter(name="digits", states=["failed"]),
            TaskFilter(name="rare", states=["running", "failed"], endpoint="e1"),
            TaskFilter(name="a", endpoint="e2", since=100.0),
        ):
            assert await paged(store, wanted) == await searched(store, wanted), wanted

    with_store(tmp_path, database_url, look)


@pytest.mark.parametrize("sort", ["-created", "created", "-updated", "name"])
def test_a_search_looks_through_so_many_tasks_a_call_and_goes_on_behind_them(
    tmp_path: Path, database_url: str, sort: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_list, "SEARCHED_AT_ONCE", 50)

    async def look(store: Store) -> None:
        await fill(store)
        for wanted in (
            TaskFilter(search="RARE", sort=sort),
            TaskFilter(search="digits 2", sort=sort),
            TaskFilter(search="rare", name="are-", sort=sort),
            TaskFilter(search="digits", states=["failed", "running"], sort=sort),
            TaskFilter(search="t17", endpoint="e1", sort=sort),
        ):
            assert await paged(store, wanted) == await looked_through(store, wanted), wanted
        async with store.read() as connection:
            page = await list_tasks(
                connection,
                LOCAL_USER,
                TaskFilter(search="nowhere", sort=sort),
                limit=20,
                cursor=None,
            )
        assert page.rows == [] and page.next, "a call that finds nothing must not read everything"

    with_store(tmp_path, database_url, look)


def test_a_search_counts_no_further_than_it_looks(
    tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def look(store: Store) -> tuple[float | None, float | None]:
        await fill(store)
        async with store.read() as connection:
            whole = await task_list.searched_since(connection, LOCAL_USER, TaskFilter(search="a"))
            monkeypatch.setattr(task_list, "SEARCHED_AT_ONCE", 50)
            part = await task_list.searched_since(connection, LOCAL_USER, TaskFilter(search="a"))
        return whole, part

    assert with_store(tmp_path, database_url, look) == (None, float(COUNT - 50))


async def looked_through(store: Store, wanted: TaskFilter) -> list[str]:
    """The same by reading everything."""
    all_ids = await searched(store, replace(wanted, search=""))
    async with store.read() as connection:
        rows = {row.id: row for row in await connection.execute(select(tasks))}
    words = wanted.search.lower().split()
    return [
        one
        for one in all_ids
        if all(word in rows[one].name.lower() or one.startswith(word) for word in words)
    ]


def test_a_name_is_kept_once_however_many_tasks_have_it(tmp_path: Path, database_url: str) -> None:
    async def count(store: Store) -> list[str]:
        await first_start(store)
        for number in range(3):
            await store.run(lambda tx, n=number: add(tx, n, "abA"))  # type: ignore[misc]
        async with store.read() as connection:
            return sorted((await connection.execute(select(name_endings.c.ending))).scalars())

    assert with_store(tmp_path, database_url, count) == ["a", "aba", "ba"]


def test_names_from_before_the_index_are_found_after_the_upgrade(
    tmp_path: Path, database_url: str
) -> None:
    async def upgrade() -> list[str]:
        async with open_store(tmp_path, database_url, "0004") as old, old.write() as tx:
            for line in OLD_ROWS:
                await tx.connection.execute(text(line))
        async with open_store(tmp_path, database_url) as new:
            return await paged(new, TaskFilter(name="era"))

    assert asyncio.run(upgrade()) == ["t1"]


def test_a_rare_name_is_read_from_its_index(tmp_path: Path) -> None:
    """SQLite tells how it will read; without statistics, as in a service that never measured."""

    async def plans(store: Store) -> list[str]:
        await fill(store)
        wanted = TaskFilter(states=["failed"], endpoint="e1")
        found = []
        for names in ({"rare"}, {"rare", "old"}, {f"n{number}" for number in range(60)}):
            parts = task_list._parts_of_names(LOCAL_USER, wanted, names)
            query = parts[0].order_by(tasks.c.created.desc(), tasks.c.id.desc()).limit(51)
            async with store.read() as connection:
                sql = query.compile(
                    dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True}
                )
                told = await connection.execute(text(f"EXPLAIN QUERY PLAN {sql}"))
                found.append(" ".join(str(row[-1]) for row in told))
        return found

    for plan in with_store(tmp_path, "", plans):
        assert "ix_tasks_owner_kind_name" in plan, plan


OLD_ROWS = [
    "INSERT INTO users VALUES ('local', 'local', 0)",
    "INSERT INTO jobs (id, owner, name, spec, digest, created) VALUES ('j1', 'local', 'era5', '{}', '', 0)",
    """INSERT INTO tasks (id, owner, job, name, kind, endpoint, endpoint_name, state, phase, native_state, reason, message,
       as_of, cancel_requested, attempt, attempts, node, run_dir, created, updated, "order", digest, untold, history, version)
       VALUES ('t1', 'local', 'j1', 'my-era5', 'run', 'e', 'e', 'failed', '', '', '', '', 0, false, 'a', '[]', '', '', 0, 0,
       '{}', '', false, 0, 1)""",
]


async def fill(store: Store) -> None:
    draw = random.Random(5)
    await first_start(store)

    async def all_of_them(tx: Transaction) -> None:
        for number in range(COUNT):
            common = draw.choice([*COMMON, f"digits-{number}"])
            old = draw.choice(["rare", LONG, f"{LONG}2", f"rare-{number}"])
            await add(tx, number, old if number < 60 else common)

    await store.run(all_of_them)


async def add(tx: Transaction, number: int, name: str) -> None:
    await add_job(tx, job_row(f"j{number}", owner=LOCAL_USER, name=name, created=float(number)))
    task = task_row(
        id=f"t{number}",
        owner=LOCAL_USER,
        job=f"j{number}",
        name=name,
        endpoint=f"e{number % 2}",
        state=("failed", "running", "succeeded")[number % 3],
        created=float(number),
        updated=float(-number),
    )
    await add_task(tx, task)


async def paged(store: Store, wanted: TaskFilter) -> list[str]:
    """Ids of all pages of twenty."""
    found: list[str] = []
    cursor: str | None = None
    while True:
        async with store.read() as connection:
            page = await list_tasks(connection, LOCAL_USER, wanted, limit=20, cursor=cursor)
        found += [row.id for row in page.rows]
        cursor = page.next
        if cursor is None:
            return found


async def searched(store: Store, wanted: TaskFilter) -> list[str]:
    keys, descending = task_list.SORTS[wanted.sort]
    query: Any = select(tasks.c.id).where(tasks.c.name.contains(wanted.name, autoescape=True))
    query = query.where(tasks.c.endpoint == wanted.endpoint) if wanted.endpoint else query
    query = query.where(tasks.c.state.in_(wanted.states)) if wanted.states else query
    query = query.where(tasks.c.created >= wanted.since) if wanted.since else query
    order = [key.desc() if descending else key.asc() for key in keys]
    async with store.read() as connection:
        return list((await connection.execute(query.order_by(*order))).scalars())


def test_tasks_that_are_held_are_read_from_an_index_of_their_own(tmp_path: Path) -> None:
    """The dashboard asks for them each time; thousands may wait."""

    async def plan(store: Store) -> str:
        await fill(store)
        asked: list[str] = []
        async with store.read() as connection:
            await connection.run_sync(
                lambda sync: event.listen(
                    sync, "before_cursor_execute", lambda *words: asked.append(words[2])
                )
            )
            await task_list.held_tasks(connection, LOCAL_USER, 20)
            sql = next(one for one in asked if one.startswith("SELECT")).replace("?", "'x'")
            told = await connection.execute(text(f"EXPLAIN QUERY PLAN {sql}"))
            return " ".join(str(row[-1]) for row in told)

    assert "ix_tasks_held" in with_store(tmp_path, "", plan)
