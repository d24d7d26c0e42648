"""The event stream: server-sent events, resumed after a lost connection."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from diamond.core.errors import DiamondError
from diamond.sdk.transport import API, LOST, Transport

SILENCE_SECONDS = 45.0
"""The service pings every 15 s; this much silence means that the connection is dead."""
PAUSES = (0.1, 0.5, 1.0, 2.0, 5.0)


@dataclass(frozen=True)
class StreamEvent:
    kind: str
    """task, note, endpoint, log, metric; `connected` each time the stream starts."""
    data: dict[str, Any] = field(default_factory=dict)
    id: str = ""


class EventStream:
    """Yields events forever; after a lost connection it resumes from the last event seen.

    Each connection starts with a `connected` event; anything before the first one must be fetched separately.
    `on_lost` is called for each interruption.
    """

    def __init__(
        self,
        transport: Transport,
        watch: list[str],
        *,
        after: str = "now",
        on_lost: Callable[[DiamondError], None] | None = None,
    ) -> None:
        self._transport = Transport(transport.address, timeout=SILENCE_SECONDS)
        self._watch = watch
        self._after = after
        self._on_lost = on_lost
        self._last_id = ""
        self._connection: http.client.HTTPConnection | None = None

    def __iter__(self) -> Iterator[StreamEvent]:
        failures = 0
        while True:
            try:
                for event in self._once():
                    failures = 0
                    yield event
            except DiamondError as error:
                if not error.retryable and error.status < 500:
                    raise
                failures = self._pause(failures, error)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _once(self) -> Iterator[StreamEvent]:
        headers = {"Accept": "text/event-stream"}
        if self._last_id:
            headers["Last-Event-ID"] = self._last_id
        query = {"watch": self._watch, "after": "" if self._last_id else self._after}
        response, self._connection = self._transport.open(
            f"{API}/events", query=query, headers=headers
        )
        try:
            yield StreamEvent("connected")
            yield from self._remembering(parse_events(response))
        except LOST:
            return
        finally:
            self.close()

    def _remembering(self, events: Iterator[StreamEvent]) -> Iterator[StreamEvent]:
        for event in events:
            self._last_id = event.id or self._last_id
            yield event

    def _pause(self, failures: int, error: DiamondError) -> int:
        if self._on_lost:
            self._on_lost(error)
        time.sleep(PAUSES[min(failures, len(PAUSES) - 1)])
        return failures + 1


def parse_events(lines: Any) -> Iterator[StreamEvent]:
    """Parse the lines of a stream into events; comments are pings."""
    fields: dict[str, str] = {}
    while line := lines.readline():
        text = line.decode(errors="replace").rstrip("\r\n")
        if text:
            _take_line(text, fields)
        elif fields.get("data"):
            yield StreamEvent(
                fields.get("event", "message"), json.loads(fields["data"]), fields.get("id", "")
            )
            fields = {}


def _take_line(text: str, fields: dict[str, str]) -> None:
    name, _, value = text.partition(":")
    value = value.removeprefix(" ")
    if name == "data" and "data" in fields:
        fields["data"] += "\n" + value
    elif name:
        fields[name] = value
