"""API calls about many runs: the table, comparison, saved views, imported runs."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from diamond.core.errors import NotFound
from diamond.sdk.image_calls import ImageCalls
from diamond.sdk.transport import API, path_segment

JsonObject = dict[str, Any]
AT_ONCE = 5000


class RunCalls(ImageCalls):
    def runs(
        self,
        columns: Sequence[str] = (),
        *,
        where: Sequence[str] = (),
        sort: str | Sequence[str] = (),
        project: str = "",
        limit: int | None = None,
    ) -> list[JsonObject]:
        """One dictionary for each run, newest first, ready for `pandas.DataFrame`.

        `columns`: state, param.lr, metric.loss, best.acc …; `where`: param.lr>0.01, state=failed …
        """
        query = _query(columns, where, sort, project)
        rows: list[JsonObject] = []
        cursor: str | None = None
        while limit is None or len(rows) < limit:
            size = AT_ONCE if limit is None else min(AT_ONCE, limit - len(rows))
            table = self.transport.get(f"{API}/runs", {**query, "limit": size, "cursor": cursor})
            names = [column["name"] for column in table["columns"]]
            rows += [
                {"id": row["id"], **dict(zip(names, row["values"], strict=True))}
                for row in table["rows"]
            ]
            cursor = table["next"]
            if cursor is None:
                break
        return rows

    def run_table(
        self,
        columns: Sequence[str] = (),
        *,
        where: Sequence[str] = (),
        sort: str | Sequence[str] = (),
        group: Sequence[str] = (),
        project: str = "",
        limit: int = 100,
    ) -> JsonObject:
        """As the service answers it: columns, rows, total, and with `group` mean and spread for each group."""
        query = {**_query(columns, where, sort, project), "group": list(group), "limit": limit}
        return dict(self.transport.get(f"{API}/runs", query))

    def run_groups(
        self,
        columns: Sequence[str],
        by: Sequence[str],
        *,
        where: Sequence[str] = (),
        project: str = "",
    ) -> list[JsonObject]:
        """One dictionary for each group: the values of `by`, `runs`, and `NAME mean` and `NAME spread` of each column."""
        table = self.run_table(columns, where=where, group=by, project=project)
        names = [column["name"] for column in table["columns"]]
        return [_group_row(group, names, by) for group in table["groups"]]

    def run_columns(self, *, project: str = "") -> JsonObject:
        """The parameters, metrics, data and tags that runs have."""
        return dict(self.transport.get(f"{API}/runs/columns", {"project": project}))

    def runs_csv(
        self,
        columns: Sequence[str] = (),
        *,
        where: Sequence[str] = (),
        sort: str | Sequence[str] = (),
        project: str = "",
    ) -> str:
        """All rows, safe to open in a spreadsheet."""
        query = _query(columns, where, sort, project)
        return self.transport.call("GET", f"{API}/runs/export", query=query).body.decode()

    def side_by_side(self, runs: Sequence[str]) -> JsonObject:
        """Two to ten runs: `{"runs", "parts": [{"name", "rows": [{"name", "values", "differs"}]}]}`."""
        return dict(self.transport.get(f"{API}/runs/compare", {"run": list(runs)}))

    def lineage(self, of: str, *, direction: str = "both", depth: int = 100) -> JsonObject:
        """`{"nodes", "edges", "tasks", "made", "is_complete"}` around a task or a digest; direction: both, backward, forward."""
        query = {"of": of, "direction": direction, "depth": depth}
        return dict(self.transport.get(f"{API}/lineage", query))

    def reproduce(
        self,
        task: str,
        *,
        on: str = "",
        account: str = "",
        tolerance: Sequence[str] = (),
        project: str = "",
    ) -> JsonObject:
        """Run a task again with the same code, image, data and parameters; its verdict follows when that has ended."""
        body = {"on": on, "account": account, "tolerance": list(tolerance), "project": project}
        return dict(self.transport.post(f"{API}/tasks/{path_segment(task)}/reproduce", body))

    def reproductions(self, task: str) -> JsonObject:
        """`{"items": […], "reproduces": …}`: when and where a task was run again, with verdicts."""
        return dict(self.transport.get(f"{API}/tasks/{path_segment(task)}/reproductions"))

    def why(self, task: str, against: str, *, tolerance: Sequence[str] = ()) -> JsonObject:
        """How a run compares with an earlier one: verdict, evidence and likely causes. Nothing is run."""
        query = {"against": against, "tolerance": list(tolerance)}
        return dict(self.transport.get(f"{API}/tasks/{path_segment(task)}/verdict", query))

    def verdict(self, task: str, *, timeout: float | None = None) -> JsonObject:
        """The verdict on a reproduction, by its own task; waits for it."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            found = self.reproductions(task)["reproduces"]
            if found is None:
                raise NotFound(f"{task} is not a reproduction", "Start one: diamond reproduce TASK")
            if found["verdict"] is not None:
                return dict(found["verdict"])
            if deadline is not None and time.monotonic() > deadline:
                raise TimeoutError(f"no verdict on {task} yet")
            time.sleep(1.0)

    def views(self, page: str = "") -> list[JsonObject]:
        """Saved views: yours, and those of your projects."""
        return list(self.transport.get(f"{API}/views", {"page": page or None})["items"])

    def save_view(
        self, name: str, query: Mapping[str, Any], *, page: str = "runs", project: str = ""
    ) -> JsonObject:
        """A view of the same name is replaced."""
        body = {"name": name, "page": page, "query": dict(query), "project": project}
        return dict(self.transport.send("PUT", f"{API}/views", body))

    def remove_view(self, view: str) -> None:
        self.transport.send("DELETE", f"{API}/views/{path_segment(view)}")

    def import_run(self, run: Mapping[str, Any]) -> JsonObject:
        """A run of another tool, as `diamond.sdk.importing` reads it."""
        return dict(self.transport.post(f"{API}/runs/imports", dict(run)))

    def imported_run(self, run: str) -> JsonObject:
        return dict(self.transport.get(f"{API}/runs/imports/{path_segment(run)}"))

    def remove_imported_run(self, run: str) -> None:
        self.transport.send("DELETE", f"{API}/runs/imports/{path_segment(run)}")


def _query(
    columns: Sequence[str], where: Sequence[str], sort: str | Sequence[str], project: str
) -> JsonObject:
    return {
        "column": list(columns),
        "filter": list(where),
        "sort": [sort] if isinstance(sort, str) else list(sort),
        "project": project,
    }


def _group_row(group: JsonObject, names: Sequence[str], by: Sequence[str]) -> JsonObject:
    row: JsonObject = {**dict(zip(by, group["by"], strict=True)), "runs": group["count"]}
    for name, spread in zip(names, group["columns"], strict=True):
        if spread is not None:
            row |= {f"{name} mean": spread["mean"], f"{name} spread": spread["spread"]}
    return row
