"""Cancel or retry all tasks that match a filter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from diamond.core.errors import DiamondError, from_problem
from diamond.sdk.models import Task, model_from_json
from diamond.sdk.transport import API, Transport


@dataclass(frozen=True)
class Outcome:
    """The result for one task: its new state (for a retry: the new task), or the error."""

    id: str
    task: Task | None
    error: DiamondError | None


class BulkAction:
    """Counts the matching tasks when created and does nothing until `go`. Tasks submitted later are not affected."""

    def __init__(self, transport: Transport, action: str, filters: Mapping[str, Any]) -> None:
        self._transport, self._path = transport, f"{API}/tasks/{action}"
        self._filters = dict(filters)
        preview = transport.post(self._path, {"matching": self._filters, "dry_run": True})
        self._filters["until"] = preview["until"]
        self.count: int = preview["matching"]

    def go(self) -> Iterator[Outcome]:
        """Yields each result as it is done. If interrupted, the remaining tasks are not changed."""
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
