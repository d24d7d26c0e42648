"""Tasks with several ranks, on a lab cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from support.stack import Stack


def launch(
    stack: Stack,
    run: str | list[str],
    *,
    kind: Any = "auto",
    nodes: int = 2,
    tasks: int = 2,
    **spec: Any,
) -> str:
    """Submit a task with enough memory for torch in each rank; returns its id."""
    resources = {"nodes": nodes, "tasks_per_node": tasks, "walltime": "10m", "memory": "3GB"}
    body = {"name": "ranks", "run": run, "on": stack.name, "launch": kind, **spec}
    answer = stack.client.post("/jobs", {"spec": {"resources": resources, **body}})
    return str(answer["tasks"][0]["id"])


def log(stack: Stack, task: str, stream: str = "stdout", rank: int = 0) -> list[str]:
    """The log lines that the service has."""
    answer = stack.client.call("GET", f"/tasks/{task}/logs/{stream}?rank={rank}")
    return sorted(answer.body.decode().splitlines()) if answer.status == 200 else []


@contextmanager
def corrected(stack: Stack, **facts: Any) -> Iterator[None]:
    """With corrected facts in the site profile; the agent gets them with the next task at the latest."""
    _correct(stack, facts)
    try:
        yield
    finally:
        _correct(stack, dict.fromkeys(facts))


def _correct(stack: Stack, facts: dict[str, Any]) -> None:
    answer = stack.client.call("PATCH", f"/endpoints/{stack.name}", {"corrections": facts})
    assert answer.status == 200, answer.body
