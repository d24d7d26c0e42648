"""Rows as the API shows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diamond.service.chains.view import show_attempts, show_chain, show_happened
from diamond.service.tasks.rows import JobRow
from diamond.service.tasks.schemas import Job

TASK_COLUMNS = (
    "id",
    "job",
    "name",
    "kind",
    "owner",
    "state",
    "phase",
    "native_state",
    "reason",
    "message",
    "exit_code",
    "signal",
    "as_of",
    "created",
    "updated",
    "started",
    "ended",
    "node",
    "attempt",
    "retry_of",
    "order",
    "digest",
    "code",
    "cancel_requested",
    "version",
    "run_dir",
    "cleaned",
    "awaits",
    "project",
    "prediction",
)


def show_task(row: Mapping[str, Any]) -> dict[str, Any]:
    shown = {name: row[name] for name in TASK_COLUMNS}
    attempts = show_attempts(row["attempts"])
    current = [one["native_id"] for one in attempts if one["id"] == row["attempt"]]
    return {
        **shown,
        "endpoint": row["endpoint_name"],
        "attempts": attempts,
        "native_id": current[0] if current else "",
        "chain": show_chain(row),
        "happened": show_happened(row),
    }


def show_job(row: JobRow, tasks: list[str]) -> Job:
    return Job.model_validate({**vars(row), "tasks": tasks})
