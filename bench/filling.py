"""Many tasks, written directly into a service's database."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import insert, text

from bench.stack import Service
from diamond.core.ids import ATTEMPT, JOB, TASK, new_id
from diamond.core.order import Order, order_data
from diamond.service.platform.database import tables
from diamond.service.platform.database.engine import Store
from diamond.service.platform.database.name_index import endings
from diamond.service.platform.wakeups.notifier import Notifier
from diamond.service.settings import Settings

BATCH = 1000
ENDPOINTS = ("alpha", "beta")
STATES = {"succeeded": 60, "failed": 20, "cancelled": 4, "running": 8, "pending": 8}
"""In percent; even among 1 000 tasks, each state has a full page."""
RARE = 60
"""The oldest tasks have their own name, found only after all others."""
Row = dict[str, Any]


def fill_tasks(service: Service, database_url: str, count: int) -> None:
    """`count` tasks on two endpoints, one per minute until now."""
    client = service.client()
    owner = client.transport.get("/api/v1/me")["id"]
    endpoints = {name: make_endpoint(service, name) for name in ENDPOINTS}
    settings = Settings(home=Path(service.folder), database_url=database_url)
    asyncio.run(write(settings.database, list(rows(owner, endpoints, count))))


def make_endpoint(service: Service, name: str) -> str:
    body = {"name": name, "carrier": "local"}
    made = service.client().transport.post("/api/v1/endpoints", body, creates=True)
    return str(made["endpoint"]["id"])


async def write(url: str, pairs: list[tuple[Row, Row]]) -> None:
    store = Store(url, Notifier())
    async with store.write() as tx:
        for start in range(0, len(pairs), BATCH):
            batch = pairs[start : start + BATCH]
            await tx.connection.execute(insert(tables.jobs), [job for job, _ in batch])
            await tx.connection.execute(insert(tables.tasks), [task for _, task in batch])
        await tx.connection.execute(insert(tables.name_endings), name_rows(pairs))
        await tx.connection.execute(text("ANALYZE"))
    await store.close()


def name_rows(pairs: list[tuple[Row, Row]]) -> list[Row]:
    names = {(task["owner"], task["name"]) for _, task in pairs}
    return [
        {"owner": owner, "ending": ending, "name": name}
        for owner, name in names
        for ending in endings(name)
    ]


def rows(owner: str, endpoints: dict[str, str], count: int) -> Iterator[tuple[Row, Row]]:
    """Each job with its one task."""
    now, draw = time.time(), random.Random(count)
    for number in range(count):
        created = now - 60 * (count - number)
        name = "rare" if number < RARE else f"digits-{draw.randrange(100)}"
        job = job_row(owner, name, created)
        state = draw.choices(list(STATES), list(STATES.values()))[0]
        endpoint = draw.choice(ENDPOINTS)
        yield job, task_row(job, state, endpoint, endpoints[endpoint])


def job_row(owner: str, name: str, created: float) -> Row:
    spec = {"name": name, "run": ["python", "train.py"]}
    return {
        "id": new_id(JOB),
        "owner": owner,
        "name": name,
        "spec": spec,
        "code": None,
        "digest": "sha256:" + 64 * "0",
        "created": created,
    }


def task_row(job: Row, state: str, endpoint: str, endpoint_id: str) -> Row:
    created, attempt = job["created"], new_id(ATTEMPT)
    ended = None if state in ("running", "pending") else created + 50
    order = order_data(Order(name=job["name"], argv=["python", "train.py"]))
    attempts = [
        {
            "id": attempt,
            "number": 1,
            "native_id": "1",
            "run": 1,
            "runs": [{"run": 1, "node": "n1", "started": created + 5}],
            "started": created + 5,
            "ended": ended,
            "reason": "",
        }
    ]
    return {
        "id": new_id(TASK),
        "owner": job["owner"],
        "job": job["id"],
        "name": job["name"],
        "kind": "run",
        "endpoint": endpoint_id,
        "endpoint_name": endpoint,
        "state": state,
        "phase": "",
        "native_state": "",
        "reason": "",
        "message": "",
        "exit_code": None,
        "signal": None,
        "as_of": created,
        "cancel_requested": False,
        "attempt": attempt,
        "attempts": attempts,
        "node": "",
        "run_dir": "",
        "created": created,
        "updated": ended or created + 5,
        "started": created + 5,
        "ended": ended,
        "retry_of": None,
        "order": order,
        "digest": job["digest"],
        "code": None,
        "unconfirmed": False,
        "history": 0,
        "version": 1,
    }
