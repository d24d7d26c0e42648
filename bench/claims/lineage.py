"""Lineage 50 steps deep among 100 000 tasks, on both databases."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from sqlalchemy import insert, text

from bench.claim import Claim, Findings, Options
from bench.filling import BATCH, Row, job_row, make_endpoint, task_row
from bench.numbers import median
from bench.postgres import started_postgres
from bench.stack import Service, started_service
from diamond.service.platform.database import tables
from diamond.service.platform.database.engine import Store
from diamond.service.platform.wakeups.notifier import Notifier
from diamond.service.settings import Settings

FULL_COUNT = 20
TASKS = 100_000
DEEP = 50
MOST_SECONDS = 0.1


def measure(options: Options) -> Findings:
    findings = Findings()
    with ExitStack() as exits:
        server = exits.enter_context(started_postgres())
        for database, url in (("SQLite", ""), ("PostgreSQL", server.new_database())):
            service = exits.enter_context(started_service(options.folder / database.lower(), url))
            first, last = fill(service, url)
            for name, path in (
                ("back from the last task", f"of={last}&direction=backward"),
                ("forward from the first data", f"of={first}&direction=forward"),
            ):
                record(findings, service, f"{database}, {name}", path, options.samples(FULL_COUNT))
    findings.note(
        f"Chains of {DEEP} tasks, each reading what the one before made, and one image that all use; "
        "medians of the whole HTTP exchange."
    )
    return findings


def record(findings: Findings, service: Service, name: str, query: str, count: int) -> None:
    client = service.client()
    times = []
    for _ in range(count + 2):
        began = time.perf_counter()
        graph = client.transport.get(f"/api/v1/lineage?{query}")
        times.append(time.perf_counter() - began)
        if graph["tasks"] != DEEP or not graph["is_complete"]:
            raise SystemExit(f"bench: {graph['tasks']} tasks instead of {DEEP}")
    taken = median(times[2:])
    bar = f"< {1000 * MOST_SECONDS:.0f} ms"
    findings.add(name, f"{1000 * taken:.0f} ms", bar, taken < MOST_SECONDS)


def fill(service: Service, database_url: str) -> tuple[str, str]:
    """The first data of one chain in the middle, and its last task."""
    owner = service.client().transport.get("/api/v1/me")["id"]
    endpoint = make_endpoint(service, "alpha")
    settings = Settings(home=Path(service.folder), database_url=database_url)
    rows = list(chains(owner, endpoint))
    asyncio.run(write(settings.database, rows))
    middle = TASKS // 2 // DEEP * DEEP
    return digest(middle), str(rows[middle + DEEP - 1][1]["id"])


def chains(owner: str, endpoint: str) -> Iterator[tuple[Row, Row, list[Row]]]:
    now = time.time()
    for number in range(TASKS):
        job = job_row(owner, f"step-{number % DEEP}", now - TASKS + number)
        task = task_row(job, "succeeded", "alpha", endpoint)
        used, made = digest(number), digest(number + 1)
        edges = [edge(task, "in", "tree", used), edge(task, "in", "image", "f" * 64)]
        if number % DEEP != DEEP - 1:
            edges.append(edge(task, "out", "tree", made))
        yield job, task, edges


def edge(task: Row, direction: str, kind: str, of: str) -> Row:
    return {
        "task": task["id"],
        "direction": direction,
        "kind": kind,
        "digest": of,
        "role": "data",
        "owner": task["owner"],
    }


def digest(number: int) -> str:
    return f"{number:064x}"


async def write(url: str, rows: list[tuple[Row, Row, list[Row]]]) -> None:
    store = Store(url, Notifier())
    async with store.write() as tx:
        for start in range(0, len(rows), BATCH):
            batch = rows[start : start + BATCH]
            await tx.connection.execute(insert(tables.jobs), [each[0] for each in batch])
            await tx.connection.execute(insert(tables.tasks), [each[1] for each in batch])
            edges = [edge for each in batch for edge in each[2]]
            await tx.connection.execute(insert(tables.lineage_edges), edges)
        # Diamond never runs ANALYZE on SQLite; with its statistics SQLite 3.40 builds a Bloom filter of all edges for each walk (50 ms).
        if not url.startswith("sqlite"):
            await tx.connection.execute(text("ANALYZE"))
    await store.close()


CLAIM = Claim("lineage", "Lineage 50 steps deep among 100 000 tasks", measure)
