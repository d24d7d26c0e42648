"""Rows of tasks as the stores give them, with everything that a test does not care about filled in."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from diamond.core.order import Order, order_data
from diamond.service.chains.rows import ChainRow
from diamond.service.tasks.rows import JobRow, TaskRow

PLAIN = TaskRow(
    id="t1",
    owner="local",
    job="j1",
    name="digits",
    kind="run",
    endpoint="e1",
    endpoint_name="local",
    state="preparing",
    phase="",
    native_state="",
    reason="",
    message="",
    exit_code=None,
    signal=None,
    as_of=0.0,
    cancel_requested=False,
    attempt="a1",
    attempts=(),
    chain=ChainRow(),
    node="",
    run_dir="",
    created=0.0,
    updated=0.0,
    started=None,
    ended=None,
    cleaned=None,
    retry_of=None,
    order_json=order_data(Order("digits")),
    digest="",
    code=None,
    project="",
    prediction=None,
    node_seconds=0.0,
    bytes=0,
    unconfirmed=False,
    history=0,
    version=1,
)


def task_row(**changes: Any) -> TaskRow:
    return replace(PLAIN, **changes)


def job_row(job: str, *, owner: str, name: str, created: float = 0.0) -> JobRow:
    return JobRow(
        id=job,
        owner=owner,
        name=name,
        spec={},
        code=None,
        digest="",
        project="",
        assignment="",
        created=created,
    )
