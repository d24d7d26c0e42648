"""The task list with 100 000 tasks compared with 1 000, on both databases."""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.claim import Claim, Findings, Options
from bench.filling import fill_tasks
from bench.numbers import median
from bench.postgres import started_postgres
from bench.stack import Service, started_service
from diamond.sdk import Client

FULL_COUNT = 100
ROWS = 50
FEW, MANY = 1_000, 100_000
MOST = 1.5
QUERIES: dict[str, dict[str, object]] = {
    "newest": {},
    "one state": {"state": ["running"]},
    "two states": {"state": ["running", "failed"]},
    "state and endpoint": {"state": ["failed"], "endpoint": "beta"},
    "name": {"name": "digits-7"},
    "name of the oldest": {"name": "rare"},
    "by name": {"sort": "name"},
    "by update, one state": {"sort": "-updated", "state": ["succeeded"]},
}


def measure(options: Options) -> Findings:
    findings = Findings()
    for database, url_for in DATABASES.items():
        with url_for() as (few_url, many_url), contextlib.ExitStack() as exits:
            few = filled(exits, options.folder / f"{database}-few", few_url, FEW)
            many = filled(exits, options.folder / f"{database}-many", many_url, MANY)
            compare(findings, database, few.client(), many.client(), options.samples(FULL_COUNT))
    findings.note(
        "50 rows per page; both services answer in turn; medians of the whole HTTP exchange."
    )
    return findings


def filled(exits: contextlib.ExitStack, folder: Path, url: str, count: int) -> Service:
    service = exits.enter_context(started_service(folder, url))
    fill_tasks(service, url, count)
    return service


def compare(findings: Findings, database: str, few: Client, many: Client, count: int) -> None:
    for name, query in QUERIES.items():
        times: dict[Client, list[float]] = {few: [], many: []}
        for _ in range(count + 2):
            for client in random.sample([few, many], 2):
                times[client].append(timed(client, query))
        small, large = median(times[few][2:]), median(times[many][2:])
        words = f"{large / small:.2f}× ({1000 * large:.1f} ms over {1000 * small:.1f} ms)"
        findings.add(f"{database}, {name}", words, f"≤ {MOST}×", large / small <= MOST)


def timed(client: Client, query: dict[str, object]) -> float:
    began = time.perf_counter()
    items = client.transport.get("/api/v1/tasks", {**query, "limit": ROWS})["items"]
    taken = time.perf_counter() - began
    if len(items) < ROWS:
        raise SystemExit(f"bench: only {len(items)} tasks answer {query}")
    return taken


Urls = Callable[[], contextlib.AbstractContextManager[tuple[str, str]]]


@contextlib.contextmanager
def sqlite_urls() -> Iterator[tuple[str, str]]:
    yield "", ""


@contextlib.contextmanager
def postgresql_urls() -> Iterator[tuple[str, str]]:
    with started_postgres() as server:
        yield server.new_database(), server.new_database()


DATABASES: dict[str, Urls] = {"SQLite": sqlite_urls, "PostgreSQL": postgresql_urls}
CLAIM = Claim("task-list", "Task list (50 rows, filtered): 100 000 tasks over 1 000", measure)
