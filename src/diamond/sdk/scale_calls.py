"""Calls about scales: probe runs, and what they told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from diamond.sdk.event_stream import EventStream
from diamond.sdk.image_calls import ImageCalls
from diamond.sdk.listing import Listing
from diamond.sdk.transport import API, path_segment

JsonObject = dict[str, Any]


class ScaleCalls(ImageCalls):
    def scales(self, *, limit: int | None = None) -> Listing[JsonObject]:
        """Newest first."""
        return self.pages(f"{API}/scales", {}, limit)

    def get_scale(self, scale: str) -> JsonObject:
        """By its id or a unique beginning of it."""
        return dict(self.transport.get(_path(scale)))

    def cancel_scale(self, scale: str) -> JsonObject:
        """End its probes; asking twice, or too late, is fine."""
        return dict(self.transport.post(_path(scale, "cancel")))

    def wait_scale(
        self, scale: str, heard: Callable[[JsonObject], None] = lambda scale: None
    ) -> JsonObject:
        """The scale when it is over; `heard` is told each change before that."""
        found = self.get_scale(scale)
        for event in EventStream(self.transport, [], after="now"):
            if event.kind == "connected":
                found = self.get_scale(found["id"])
            elif event.kind == "scale" and event.data.get("id") == found["id"]:
                found = event.data
            else:
                continue
            heard(found)
            if found["state"] != "running":
                return found
        return found


def _path(scale: str, *more: str) -> str:
    return "/".join([f"{API}/scales/{path_segment(scale)}", *more])
