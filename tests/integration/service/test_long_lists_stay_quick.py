from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, text

from diamond.core.order import Order, order_data
from diamond.service.bootstrap import LOCAL_USER, first_start
from diamond.service.store.engine import Store
from diamond.service.store.tables import jobs, tasks
from diamond.service.store.tasks import TaskFilter, list_tasks
from support.database import open_store
from support.postgres import Postgres

FEW, MANY = 1_000, 100_000
STATES = ["succeeded"] * 70 + ["failed"] * 9 + ["running"] * 20 + ["pending"]
ORDER = order_data(Order(name="digits", command="python train.py"))
FILTERS = {
    "newest": TaskFilter(),
    "running": TaskFilter(states=["running"]),
    "ended": TaskFilter(states=["succeeded", "failed"]),
    "endpoint": TaskFilter(endpoint="e1"),
    "running there": TaskFilter(states=["running"], endpoint="e1"),
    "by change": TaskFilter(sort="-updated"),
    "by name": TaskFilter(sort="name"),
    "named": TaskFilter(name="digits"),
}


def task_row(number: int) -> dict[str, Any]:
    return {
        "id": f"t{number:012d}", "owner": LOCAL_USER, "job": "j1", "name": f"digits-{number % 97}",
        "kind": "run", "endpoint": f"e{number % 2}", "endpoint_name": "x",
        "state": STATES[number % 100], "phase": "", "as_of": 0.0, "attempt": "a", "attempts": [],
        "created": float(number), "updated": float(number * 7919 % MANY), "order": ORDER,
        "digest": "sha256:0",
    }  # fmt: skip


async def fill(store: Store, count: int) -> None:
    await first_start(store)
    job = {"id": "j1", "owner": LOCAL_USER, "name": "x", "spec": {}, "digest": "", "created": 0.0}
    async with store.write() as tx:
        await tx.connection.execute(insert(jobs), job)
    for start in range(0, count, 5_000):
        rows = [task_row(number) for number in range(start, min(start + 5_000, count))]
        async with store.write() as tx:
            await tx.connection.execute(insert(tasks), rows)
    async with store.write() as tx:
        await tx.connection.execute(text("ANALYZE"))


async def one_page(store: Store, wanted: TaskFilter) -> float:
    async with store.read() as connection:
        began = time.perf_counter()
        page = await list_tasks(connection, LOCAL_USER, wanted, limit=50, cursor=None)
        spent = time.perf_counter() - began
    assert len(page.rows) == 50
    return spent


async def ratio(few: Store, many: Store, wanted: TaskFilter) -> float:
    """The best of each, taken in turns: other work on the machine only ever adds."""
    times: list[tuple[float, float]] = []
    for _ in range(40):
        times.append((await one_page(few, wanted), await one_page(many, wanted)))
    return min(many for _, many in times) / min(few for few, _ in times)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_page_of_tasks_costs_the_same_among_a_hundred_thousand(
    tmp_path: Path, kind: str, request: pytest.FixtureRequest
) -> None:
    def database() -> str:
        if kind == "sqlite":
            return ""
        server: Postgres = request.getfixturevalue("postgres")
        return server.new_database()

    async def measure() -> dict[str, float]:
        (tmp_path / "few").mkdir()
        (tmp_path / "many").mkdir()
        async with (
            open_store(tmp_path / "few", database()) as few,
            open_store(tmp_path / "many", database()) as many,
        ):
            await fill(few, FEW)
            await fill(many, MANY)
            return {name: await ratio(few, many, wanted) for name, wanted in FILTERS.items()}

    ratios = asyncio.run(measure())
    print(ratios)
    assert max(ratios.values()) <= 1.5, ratios
