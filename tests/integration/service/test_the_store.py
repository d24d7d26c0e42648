from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import insert, select, text
from sqlalchemy.engine import Connection

from diamond.service.access.principal import LOCAL_USER
from diamond.service.images import request_store
from diamond.service.images.rows import RequestRow, TransferRow
from diamond.service.people.first_start import first_start
from diamond.service.platform.database.engine import LostRace, Store, Transaction
from diamond.service.platform.database.tables import facts, metadata
from diamond.service.platform.event_log import News, events_after, newest_number, publish
from diamond.service.tasks.dependency_store import hold_wishes
from support.database import with_store
from support.postgres import Postgres
from support.scene import new_scene
from support.service import running_service

OLD = Path(__file__).parent / "fixtures" / "database-0001.sql"
CURVE = """
INSERT INTO metric_series (id, owner, task, attempt, run, source, name, count, stride)
  SELECT 1, owner, id, attempt, 1, 'metrics', 'loss', 2, 1 FROM tasks WHERE id = 'told234567891';
INSERT INTO metric_points (series, n, owner, step, time, value)
  SELECT 1, 0, owner, 1, 10.0, 0.5 FROM metric_series
  UNION SELECT 1, 1, owner, 2, 11.0, 0.25 FROM metric_series;
"""


def test_migrations_lead_to_the_tables_of_the_code(tmp_path: Path, database_url: str) -> None:
    def differences(connection: Connection) -> list[Any]:
        return list(compare_metadata(MigrationContext.configure(connection), metadata))

    async def compare(store: Store) -> list[Any]:
        async with store.read() as connection:
            return await connection.run_sync(differences)

    assert with_store(tmp_path, database_url, compare) == []


def test_what_was_answered_survives_a_power_cut(tmp_path: Path) -> None:
    async def durability(store: Store) -> Any:
        async with store.read() as connection:
            return (await connection.execute(text("PRAGMA synchronous"))).scalar()

    full = 2
    assert with_store(tmp_path, "", durability) == full


def test_every_table_but_people_and_the_service_s_own_anchors_has_an_owner() -> None:
    without = {name for name, table in metadata.tables.items() if "owner" not in table.c}
    assert without == {"users", "anchors", "anchored_heads"}


TOKENS = """
UPDATE jobs SET spec = json_set(spec, '$.code', 'https://ghp_s3cret@host/x@abc', '$.run', 'a https://u:p@h');
UPDATE tasks SET "order" = json_set("order", '$.code', json('{"git_url": "https://ghp_s3cret@host/x"}')),
  message = 'git: https://ghp_s3cret@host';
"""


def test_an_older_database_is_upgraded_with_its_rows(tmp_path: Path) -> None:
    """Without the tokens that older versions accepted in URLs of repositories."""
    with sqlite3.connect(tmp_path / "diamond.db") as connection:
        connection.executescript(OLD.read_text())
        connection.executescript(CURVE)
        connection.executescript(TOKENS)
    connection.close()
    with running_service(tmp_path) as service:
        task = service.client.get("/tasks/told234567891")
        assert (task["state"], task["node"], task["native_id"]) == ("running", "cn001", "42")
        assert service.client.get("/endpoints/delta")["state"] == "sign-in"
        assert service.client.get("/health")["instance"] == "dfixture23456"
        curve = service.client.get("/tasks/told234567891/metrics")["items"][0]
        assert curve["points"] == [[1, 10.0, 0.5], [2, 11.0, 0.25]]
        body = {"spec": {"name": "x", "run": "true", "secrets": ["A"]}}
        assert service.client.call("POST", "/jobs", body).status == 201
        job = service.client.get(f"/jobs/{task['job']}")
        assert job["spec"]["code"] == "https://host/x@abc"
        assert job["spec"]["run"] == "a https://u:p@h", "a command stays as it was"
        assert task["order"]["code"]["git_url"] == "https://host/x"
        assert (task["message"], "s3cret" in str([job, task])) == ("git: https://host", False)


def test_two_services_that_start_at_once_upgrade_once(tmp_path: Path, postgres: Postgres) -> None:
    url = postgres.new_database()

    async def start(store: Store) -> None:
        await first_start(store)

    async def both() -> None:
        threads = [asyncio.to_thread(with_store, tmp_path, url, start) for _ in range(3)]
        await asyncio.gather(*threads)

    asyncio.run(both())


def test_no_reader_misses_an_event_of_writers_that_commit_in_reverse_order(
    tmp_path: Path, postgres: Postgres
) -> None:
    """The second writer has to wait for the first one's number, so its event cannot be seen before."""

    async def race(store: Store) -> list[list[str]]:
        await first_start(store)
        seen: list[list[str]] = []
        position = 0

        async def look() -> None:
            nonlocal position
            async with store.read() as connection:
                rows = await events_after(connection, LOCAL_USER, position)
            position = rows[-1].n if rows else position
            seen.append([row.subject for row in rows])

        first_has_its_number, first_may_commit = asyncio.Event(), asyncio.Event()

        async def first() -> None:
            async with store.write() as tx:
                await publish(tx, LOCAL_USER, [News("task", "first")])
                first_has_its_number.set()
                await first_may_commit.wait()

        async def second() -> None:
            await first_has_its_number.wait()
            async with store.write() as tx:
                await publish(tx, LOCAL_USER, [News("task", "second")])

        writers = [asyncio.create_task(first()), asyncio.create_task(second())]
        await first_has_its_number.wait()
        done, _ = await asyncio.wait([writers[1]], timeout=0.5)
        assert not done
        await look()
        first_may_commit.set()
        await asyncio.gather(*writers)
        await look()
        return seen

    assert with_store(tmp_path, postgres.new_database(), race) == [[], ["first", "second"]]


REQUEST = RequestRow(owner=LOCAL_USER, endpoint="e1", key="k", build="t1", image=None)
TRANSFER = TransferRow(
    id="m1",
    owner=LOCAL_USER,
    kind="copy",
    image="i1",
    endpoint="e1",
    source="e2",
    reference="",
    name="",
    sha256="",
    manifest=None,
    words="",
    state="running",
    bytes=0,
    size=0,
    message="",
    created=0.0,
    started=None,
    updated=0.0,
)


@pytest.mark.parametrize("awaited", ["build", "move"])
def test_what_a_task_is_made_to_wait_for_does_not_end_before_the_task_is_there(
    tmp_path: Path, postgres: Postgres, awaited: str
) -> None:
    """Else its end would tell everybody who waits, and miss the one who is just about to."""

    async def wait_for_it(tx: Transaction) -> object:
        if awaited == "build":
            return await request_store.find_request(tx, LOCAL_USER, "e1", "k")
        return await request_store.open_transfer_to(tx, "i1", "e1")

    async def end_it(tx: Transaction) -> None:
        if awaited == "build":
            await hold_wishes(tx, "t1")
        else:
            await request_store.find_transfer(tx.connection, "m1", lock=True)

    async def race(store: Store) -> None:
        await first_start(store)
        await store.run(lambda tx: request_store.save_request(tx, REQUEST, is_new=True))
        await store.run(lambda tx: request_store.add_transfer(tx, TRANSFER))
        async with store.write() as tx:
            assert await wait_for_it(tx)
            ending = asyncio.create_task(store.run(end_it))
            done, _ = await asyncio.wait([ending], timeout=0.5)
            assert not done
        await ending

    with_store(tmp_path, postgres.new_database(), race)


def test_a_hundred_writers_leave_no_hole_in_the_numbers(tmp_path: Path, database_url: str) -> None:
    async def write(store: Store) -> tuple[list[int], int]:
        await first_start(store)
        news = [News("task", "t")]
        await asyncio.gather(
            *(store.run(lambda tx: publish(tx, LOCAL_USER, news)) for _ in range(100))
        )
        async with store.read() as connection:
            rows = await events_after(connection, LOCAL_USER, 0)
            return [row.n for row in rows], await newest_number(connection, LOCAL_USER)

    assert with_store(tmp_path, database_url, write) == (list(range(1, 101)), 100)


def test_a_lost_race_runs_again_and_leaves_nothing_behind(
    tmp_path: Path, database_url: str
) -> None:
    async def race(store: Store) -> list[str]:
        await first_start(store)
        tries = 0

        async def work(tx: Transaction) -> None:
            nonlocal tries
            tries += 1
            row = {"owner": LOCAL_USER, "name": f"try{tries}", "value": ""}
            await tx.connection.execute(insert(facts), row)
            if tries < 3:
                raise LostRace("again")

        await store.run(work)
        async with store.read() as connection:
            query = select(facts.c.name).where(facts.c.name != "instance")
            return list((await connection.execute(query)).scalars())

    assert with_store(tmp_path, database_url, race) == ["try3"]


@pytest.mark.slow
def test_a_restart_keeps_token_and_instance(tmp_path: Path, database_url: str) -> None:
    seen = []
    for _ in range(2):
        with running_service(tmp_path, database_url=database_url) as service:
            seen.append((service.token, service.client.get("/health")["instance"]))
    assert seen[0] == seen[1]
    assert (tmp_path / "token.json").stat().st_mode & 0o077 == 0


def test_two_services_on_one_database_wake_each_other(tmp_path: Path, postgres: Postgres) -> None:
    url = postgres.new_database()
    with (
        running_service(tmp_path / "a", database_url=url) as one,
        running_service(tmp_path / "b", database_url=url) as two,
    ):
        scene = new_scene(one)
        events = two.client.events()
        events.until("ready")
        task = scene.submit()["id"]
        assert events.until("task", id=task)
        events.close()
