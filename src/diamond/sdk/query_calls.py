"""API calls that read: task counts, metrics, logs, code, recipes, dashboard and composer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from diamond.sdk.endpoint_calls import EndpointCalls
from diamond.sdk.listing import Listing
from diamond.sdk.transport import API, path_segment

JsonObject = dict[str, Any]


class QueryCalls(EndpointCalls):
    def overview(self) -> JsonObject:
        """Running and waiting tasks, things that need you, free nodes, and what ended last."""
        return dict(self.transport.get(f"{API}/overview"))

    def count_tasks(self, *, search: str = "", endpoint: str = "", name: str = "") -> JsonObject:
        """Number of matching tasks: `{"counts": {state: n}, "total": n}`."""
        query = {"search": search, "endpoint": endpoint, "name": name}
        return dict(self.transport.get(f"{API}/tasks/counts", query))

    def storage(self) -> JsonObject:
        """What takes up space: code, logs and curves in the service, images and run directories on endpoints."""
        return dict(self.transport.get(f"{API}/storage"))

    def stored_code(self, limit: int = 100) -> list[JsonObject]:
        """Your snapshots of code in the service; first those whose removal frees most."""
        return list(self.transport.get(f"{API}/storage/code", {"limit": limit})["items"])

    def remove_code(self, digest: str, *, recorded: bool = False) -> JsonObject:
        """Remove a snapshot by its digest or the first letters of it; `recorded`: also if ended tasks ran it."""
        path = f"{API}/storage/code/{path_segment(digest)}"
        query = {"recorded": "true" if recorded else None}
        return dict(self.transport.call("DELETE", path, query=query).json())

    def remove_unused_code(self) -> JsonObject:
        """Remove code that nothing needs, such as what was sent and never submitted."""
        return dict(self.transport.send("DELETE", f"{API}/storage/code/unused"))

    def set_retention(
        self, days: int | None, *, project: str = "", of_code: bool = False
    ) -> JsonObject:
        """How long ended tasks keep logs and curves, or their code, in the service: your own, or those of a project."""
        path = f"{API}/projects/{path_segment(project)}" if project else f"{API}/storage"
        body = {"code_days" if of_code else "days": days}
        return dict(self.transport.send("PUT", f"{path}/retention", body))

    def archive(self, task: str) -> JsonObject:
        """Remove a task's logs and curves from the service; its record stays."""
        return dict(self.transport.post(f"{API}/tasks/{path_segment(task)}/archive", {}))

    def artifacts(
        self, *, kind: str = "", endpoint: str = "", limit: int | None = None
    ) -> Listing[JsonObject]:
        """Bytes by digest, the newest first: snapshots of code, image files; `kind="file"` lists single files."""
        return self.pages(f"{API}/artifacts", {"kind": kind, "endpoint": endpoint}, limit)

    def artifact(self, digest: str) -> JsonObject:
        """What it is, and where it is."""
        return dict(self.transport.get(f"{API}/artifacts/{path_segment(digest)}"))

    def cancel_all(self, tasks: Sequence[str]) -> list[JsonObject]:
        """The result for each task: `{"id", "task", "problem"}`."""
        return list(self.transport.post(f"{API}/tasks/cancel", {"tasks": list(tasks)})["items"])

    def retry_all(self, tasks: Sequence[str]) -> list[JsonObject]:
        """The result for each task: `{"id", "task", "problem"}`; `task` is the new one."""
        body = {"tasks": list(tasks)}
        return list(self.transport.post(f"{API}/tasks/retry", body, creates=True)["items"])

    def compare(
        self,
        tasks: Sequence[str],
        *,
        names: Sequence[str] = (),
        points: int = 1000,
        steps: tuple[float | None, float | None] = (None, None),
        usage: bool = False,
    ) -> list[JsonObject]:
        """Metric curves of several tasks; a narrower range of `steps` gives more detail."""
        query = {
            "task": list(tasks),
            "name": list(names),
            "points": points,
            "from_step": steps[0],
            "to_step": steps[1],
            "usage": "true" if usage else None,
        }
        return list(self.transport.get(f"{API}/metrics", query)["items"])

    def search_log(
        self,
        task: str,
        text: str,
        *,
        stream: str = "stdout",
        case: bool = False,
        attempt: str = "",
        rank: int = 0,
    ) -> Iterator[JsonObject]:
        """Lines that contain `text`, each `{"offset", "text", …}`; the last item may be `{"incomplete": reason}`."""
        path = f"{API}/tasks/{path_segment(task)}/logs/{path_segment(stream)}/search"
        after: int | None = 0
        reason = ""
        while after is not None:
            query = {
                "text": text,
                "after": after,
                "limit": 500,
                "attempt": attempt,
                "rank": rank,
                "case": "true" if case else None,
            }
            answer = self.transport.get(path, query)
            yield from answer["items"]
            after, reason = answer["next"], reason or answer["reason"]
        if reason:
            yield {"incomplete": reason}

    def code(self, task: str) -> JsonObject:
        """The code files that a task ran, or the commit that was cloned."""
        return dict(self.transport.get(f"{API}/tasks/{path_segment(task)}/code"))

    def diff(self, task: str, against: str = "") -> str:
        """Code changes since the commit at upload; or since another task, including its spec."""
        path = f"{API}/tasks/{path_segment(task)}/diff"
        query = {"against": against} if against else None
        return self.transport.call("GET", path, query=query).body.decode(errors="replace")

    def recipes(self) -> list[JsonObject]:
        return list(self.transport.get(f"{API}/recipes")["items"])

    def recipe(self, name: str) -> JsonObject:
        return dict(self.transport.get(f"{API}/recipes/{path_segment(name)}"))

    def compose(self, spec: Mapping[str, Any], *, script: bool = False) -> JsonObject:
        """Faults, limits, cost and queue of a spec, which may be incomplete."""
        query = "?script=true" if script else ""
        return dict(self.transport.post(f"{API}/jobs/compose{query}", {"spec": dict(spec)}))

    def notifications(self, *, unread: bool = False) -> list[JsonObject]:
        """The newest first."""
        query = {"unread": "true" if unread else None}
        return list(self.transport.get(f"{API}/notifications", query)["items"])
