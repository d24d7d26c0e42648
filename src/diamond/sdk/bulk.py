"""The same act on all tasks that a filter finds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from diamond.core.errors import DiamondError, from_problem
from diamond.sdk.models import Task, model_from_json
from diamond.sdk.transport import API, Transport


@dataclass(frozen=True)
class Outcome:
    """What became of one: the task as it now is (of a retry: the new one), or why not."""

    id: str
    task: Task | None
    error: DiamondError | None


class BulkAction:
    """Counted when it is made; nothing is done until `go`. What is asked for later is left alone."""

    def __init__(self, transport: Transport, act: str, filters: Mapping[str, Any]) -> None:
        self._transport, self._path = transport, f"{API}/tasks/{act}"
        self._filters = dict(filters)
        asked = transport.post(self._path, {"matching": self._filters, "dry_run": True})
        self._filters["until"] = asked["until"]
        self.count: int = asked["matching"]

    def go(self) -> Iterator[Outcome]:
        """Each as it is done; a break in the middle leaves the rest as it was."""
        cursor: str | None = None
        while True:
            body = {"matching": self._filters, "cursor": cursor}
            page = self._transport.post(self._path, body, creates=True)
            yield from map(_outcome, page["items"])
            cursor = page["next"]
            if not cursor:
                return


def _outcome(item: Mapping[str, Any]) -> Outcome:
    problem = item["problem"]
    task = model_from_json(Task, item["task"]) if item["task"] else None
    return Outcome(item["id"], task, from_problem(problem) if problem else None)
