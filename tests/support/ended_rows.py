"""A job and ended tasks as plain rows, for work that reads the database alone."""

from __future__ import annotations

from typing import Any

from diamond.service.access.principal import LOCAL_USER


def job_values() -> dict[str, Any]:
    return {
        "id": "j1",
        "owner": LOCAL_USER,
        "name": "x",
        "spec": {},
        "digest": "",
        "project": "",
        "assignment": "",
        "created": 0.0,
    }


def task_values(task: str, ended: float) -> dict[str, Any]:
    return {
        "id": task,
        "owner": LOCAL_USER,
        "job": "j1",
        "name": "x",
        "kind": "run",
        "endpoint": "e1",
        "endpoint_name": "e",
        "state": "succeeded",
        "phase": "",
        "as_of": ended,
        "attempt": "a1",
        "attempts": [],
        "created": ended,
        "updated": ended,
        "ended": ended,
        "order": {},
        "digest": "",
    }
