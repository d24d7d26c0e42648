"""What commit 7984dbe5 stored (tasks, records, images, data, models, studies, pipelines) is upgraded and read, on both databases."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import JSON, Boolean, Connection, Integer, LargeBinary, MetaData, Table, text

from diamond.sdk import Client as Sdk
from support.database import open_store
from support.http import Client
from support.landed import SECOND, lost, restore_stored
from support.postgres import Postgres
from support.service import RunningService, running_service

ANSWERS: dict[str, Any] = json.loads((SECOND / "answers.json").read_text())
TOKEN: str = json.loads((SECOND / "tokens.json").read_text())[0]
REVISION = "0043"
"""Of the stored database."""


@pytest.fixture(params=["sqlite", "postgresql"], scope="module")
def upgraded(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningService]:
    home, url = tmp_path_factory.mktemp("second") / "home", ""
    restore_stored(SECOND, home)
    if request.param == "postgresql":
        server: Postgres = request.getfixturevalue("postgres")
        url = server.new_database()
        asyncio.run(move_to(url, home / "diamond.db"))
        (home / "diamond.db").unlink()
    with running_service(home, database_url=url) as service:
        yield service


@pytest.fixture
def owner(upgraded: RunningService) -> Client:
    return Client(upgraded.url, TOKEN)


def test_all_that_was_stored_is_read_as_before(owner: Client) -> None:
    faults = {path: lost(answer, owner.get(path)) for path, answer in ANSWERS.items()}
    assert {path: fault for path, fault in faults.items() if fault} == {}


def test_records_still_verify(owner: Client) -> None:
    records = [path for path in ANSWERS if path.endswith("/record")]
    assert records
    for path in records:
        record = owner.get(path)
        assert record["check"]["is_whole"] and len(record["entries"]) > 1, path


def test_what_was_there_is_used_again(owner: Client) -> None:
    """Names of versions of data and models still mean them, and ended work runs again."""
    sdk = Sdk(owner.url, TOKEN)
    spec = {"run": "true", "on": "laptop", "data": {"train": "rows@v1", "net": "model:digits@best"}}
    assert sorted(owner.post("/jobs/check", {"spec": spec})["order"]["trees"]) == ["net", "train"]
    [study] = sdk.studies()
    assert study.best and study.best["params"]
    [pipeline] = sdk.pipelines()
    again = sdk.run_pipeline_again(pipeline["id"])
    assert again["id"] != pipeline["id"]
    bad = next(task for task in ANSWERS["/tasks"]["items"] if task["name"] == "bad")["id"]
    assert owner.post(f"/tasks/{bad}/retry")["retry_of"] == bad


async def move_to(url: str, file: Path) -> None:
    """The same rows in PostgreSQL, as that commit would have stored them there."""
    async with open_store(file.parent, url, REVISION) as store, store.write() as tx:
        await tx.connection.run_sync(copy_rows, file)


def copy_rows(target: Connection, file: Path) -> None:
    target.execute(text("SET session_replication_role = replica"))
    found = MetaData()
    found.reflect(target)
    with sqlite3.connect(file) as source:
        source.row_factory = sqlite3.Row
        for table in found.sorted_tables:
            if table.name == "alembic_version":
                continue
            target.execute(table.delete())
            rows = [
                converted(table, row) for row in source.execute(f'SELECT * FROM "{table.name}"')
            ]
            if rows:
                target.execute(table.insert(), rows)
            raise_counters(target, table)
    source.close()


def converted(table: Table, row: sqlite3.Row) -> dict[str, Any]:
    return {name: value_of(table, name, row[name]) for name in row.keys()}  # noqa: SIM118


def value_of(table: Table, name: str, value: Any) -> Any:
    kind = table.columns[name].type
    if value is None:
        return None
    if isinstance(kind, JSON):
        return json.loads(value)
    if isinstance(kind, Boolean):
        return bool(value)
    return bytes(value) if isinstance(kind, LargeBinary) else value


def raise_counters(target: Connection, table: Table) -> None:
    """Columns that number rows by themselves continue after the highest."""
    for column in table.primary_key:
        if isinstance(column.type, Integer) and column.server_default is not None:
            target.execute(
                text(
                    f"SELECT setval(pg_get_serial_sequence('{table.name}', '{column.name}'), "
                    f'COALESCE((SELECT MAX("{column.name}") FROM "{table.name}"), 1))'
                )
            )
