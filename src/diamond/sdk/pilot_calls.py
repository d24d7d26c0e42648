"""API calls about pilots."""

from __future__ import annotations

from typing import Any

from diamond.sdk.listing import Listing
from diamond.sdk.query_calls import QueryCalls
from diamond.sdk.transport import API, path_segment

JsonObject = dict[str, Any]


class PilotCalls(QueryCalls):
    def start_pilot(
        self, name: str = "pilot", *, project: str = "", **allocation: Any
    ) -> JsonObject:
        """Ask for an allocation that runs tasks inside it: nodes, walltime, gpus_per_node, on, idle and the other fields of `together:`.

        Pipelines of the same person that fit use it while it lives.
        """
        body = {"name": name, "allocation": allocation, "project": project}
        return dict(self.transport.post(f"{API}/pilots", body, creates=True))

    def pilots(self, *, limit: int | None = None) -> Listing[JsonObject]:
        """Newest first."""
        return self.pages(f"{API}/pilots", {}, limit)

    def pilot(self, pilot: str) -> JsonObject:
        """Its allocation and what runs in it; look up by id or a unique prefix."""
        return dict(self.transport.get(_path(pilot)))

    def pilot_timeline(self, pilot: str) -> JsonObject:
        """What ran in it, where and when, and how much of its cores and GPUs was used."""
        return dict(self.transport.get(_path(pilot, "timeline")))

    def stop_pilot(self, pilot: str, *, now: bool = False) -> JsonObject:
        """Release it once what runs in it has ended; `now`: cancel that. Doing it twice, or too late, is fine."""
        return dict(self.transport.post(_path(pilot, "stop"), {"now": now}))


def _path(pilot: str, *more: str) -> str:
    return "/".join([f"{API}/pilots/{path_segment(pilot)}", *more])
