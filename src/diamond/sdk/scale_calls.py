"""API calls about scales: probe runs and their results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from diamond.sdk.event_stream import EventStream
from diamond.sdk.listing import Listing
from diamond.sdk.run_calls import RunCalls
from diamond.sdk.transport import API, path_segment

JsonObject = dict[str, Any]


class ScaleCalls(RunCalls):
    def scales(self, *, limit: int | None = None) -> Listing[JsonObject]:
        """Newest first."""
        return self.pages(f"{API}/scales", {}, limit)

    def get_scale(self, scale: str) -> JsonObject:
        """Look up by id or a unique prefix."""
        return dict(self.transport.get(_path(scale)))

    def cancel_scale(self, scale: str) -> JsonObject:
        """Cancel its probe runs. Doing it twice, or too late, is fine."""
        return dict(self.transport.post(_path(scale, "cancel")))

    def wait_scale(
        self, scale: str, on_change: Callable[[JsonObject], None] = lambda scale: None
    ) -> JsonObject:
        """Wait for a scale to finish; `on_change` is called for each change."""
        current = self.get_scale(scale)
        for event in EventStream(self.transport, [], after="now"):
            if event.kind == "connected":
                current = self.get_scale(current["id"])
            elif event.kind == "scale" and event.data.get("id") == current["id"]:
                current = event.data
            else:
                continue
            on_change(current)
            if current["state"] != "running":
                return current
        return current


def _path(scale: str, *more: str) -> str:
    return "/".join([f"{API}/scales/{path_segment(scale)}", *more])
