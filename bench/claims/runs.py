"""The table of 10 000 runs with 20 columns, whole and a page of it, on both databases."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

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
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.summaries import summary_of

FULL_COUNT = 20
RUNS = 10_000
MOST_SECONDS = 0.3
METRICS = [f"{part}/{name}" for part in ("train", "val") for name in ("loss", "acc", "f1", "lr")]
PARAMS = {"lr": 0.1, "batch": 64, "model": "cnn", "depth": 4, "width": 128, "seed": 1}
COLUMNS = [
    *("name", "state", "endpoint", "created", "duration", "node_hours"),
    *(f"param.{name}" for name in PARAMS),
    *(f"metric.{name}" for name in METRICS[:4]),
    *(f"best.{name}" for name in METRICS[4:]),
]
QUERIES: dict[str, dict[str, Any]] = {
    "all rows": {"limit": RUNS},
    "all rows, sorted by a metric": {"limit": RUNS, "sort": "-best.val/acc"},
    "first 100, filtered and sorted": {"filter": "param.lr>0.02", "sort": "best.val/loss"},
    "grouped by two parameters": {"group": ["param.model", "param.depth"]},
}


def measure(options: Options) -> Findings:
    findings = Findings()
    with ExitStack() as exits:
        server = exits.enter_context(started_postgres())
        for database, url in (("SQLite", ""), ("PostgreSQL", server.new_database())):
            folder = options.folder / database.lower()
            service = exits.enter_context(started_service(folder, url))
            fill_runs(service, url, RUNS)
            for name, query in QUERIES.items():
                record(findings, service, f"{database}, {name}", query, options.samples(FULL_COUNT))
    findings.note(
        f"{RUNS} runs, {len(COLUMNS)} columns, 8 metrics and 6 parameters each; medians of the whole HTTP exchange."
    )
    return findings


def record(
    findings: Findings, service: Service, name: str, query: dict[str, Any], count: int
) -> None:
    path = f"/api/v1/runs?{urlencode({'column': COLUMNS, **query}, doseq=True)}"
    times = [timed(service, path) for _ in range(count + 2)][2:]
    taken = median(times)
    words = f"{1000 * taken:.0f} ms"
    findings.add(name, words, f"< {1000 * MOST_SECONDS:.0f} ms", taken < MOST_SECONDS)


def timed(service: Service, path: str) -> float:
    client = service.client()
    began = time.perf_counter()
    body = client.transport.call("GET", path).body
    taken = time.perf_counter() - began
    if f'"looked_at":{RUNS}'.encode() not in body:
        raise SystemExit(f"bench: not all {RUNS} runs were looked at: {body[-200:]!r}")
    return taken


def fill_runs(service: Service, database_url: str, count: int) -> None:
    owner = service.client().transport.get("/api/v1/me")["id"]
    endpoint = make_endpoint(service, "alpha")
    settings = Settings(home=Path(service.folder), database_url=database_url)
    asyncio.run(write(settings.database, list(runs(owner, endpoint, count))))


def runs(owner: str, endpoint: str, count: int) -> Iterator[tuple[Row, Row, Row]]:
    now, draw = time.time(), random.Random(7)
    for number in range(count):
        job = job_row(owner, f"sweep-{number % 40}", now - 60 * (count - number))
        task = task_row(job, "succeeded", "alpha", endpoint)
        params = {
            **PARAMS,
            "lr": draw.random() / 10,
            "model": draw.choice(["cnn", "mlp", "vit"]),
            "depth": draw.randrange(2, 6),
            "seed": number,
        }
        task["order"] = {**task["order"], "params": params}
        metrics = {name: (draw.random(), 0.1, 0.9, float(number)) for name in METRICS}
        yield job, task, summary_of(row_of(task), metrics)


def row_of(task: Row) -> TaskRow:
    """As far as a summary reads it."""
    row = TaskRow.__new__(TaskRow)
    vars(row).update({**task, "order_json": task["order"]})
    return row


async def write(url: str, rows: list[tuple[Row, Row, Row]]) -> None:
    store = Store(url, Notifier())
    async with store.write() as tx:
        for start in range(0, len(rows), BATCH):
            batch = rows[start : start + BATCH]
            for number, table in enumerate((tables.jobs, tables.tasks, tables.run_summaries)):
                await tx.connection.execute(insert(table), [each[number] for each in batch])
        await tx.connection.execute(text("ANALYZE"))
    await store.close()


CLAIM = Claim("runs", "Table of 10 000 runs with 20 columns", measure)
