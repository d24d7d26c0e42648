"""Follow one task to its end: its states and its log, in order."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from diamond.core.errors import DiamondError
from diamond.sdk.event_stream import EventStream, StreamEvent
from diamond.sdk.logs import STREAMS, LogPart, LogReader, task_of
from diamond.sdk.models import Endpoint, Task, model_from_json
from diamond.sdk.transport import API, Transport, path_segment

FollowEvent = Task | LogPart | str
JUST_NOW_SECONDS = 10.0
LAST_BYTES_SECONDS = 0.4
FIRST_BYTES_SECONDS = 1.5
"""An agent without a log to send checks for one once a second."""


class Follower:
    """Yields the task each time it changes, its log as it grows, and notes as text, until the task ends.

    The event stream is opened before stored data is read, so nothing is missed in between.
    """

    def __init__(
        self,
        transport: Transport,
        task: str,
        *,
        streams: tuple[str, ...] = STREAMS,
        tail_bytes: int | None = None,
        rank: int = 0,
        on_lost: Callable[[DiamondError], None] | None = None,
        on_endpoint: Callable[[Endpoint], None] | None = None,
    ) -> None:
        self._transport = transport
        self._task = task
        self._tail_bytes = tail_bytes
        self._on_endpoint = on_endpoint
        self._has_log = False
        self._reader = LogReader(transport, task, streams, rank)
        self._events = EventStream(transport, [task], on_lost=on_lost)

    def __iter__(self) -> Iterator[FollowEvent]:
        try:
            for event in self._events:
                final = False
                for item in self._items_of(event):
                    final = final or (isinstance(item, Task) and item.is_final)
                    yield item
                if final:
                    return
        finally:
            self._events.close()

    def close(self) -> None:
        self._events.close()

    def _items_of(self, event: StreamEvent) -> Iterator[FollowEvent]:
        if event.kind == "connected":
            yield from self._catch_up()
        elif event.kind == "log":
            self._has_log = True
            yield from self._reader.live(event)
        elif event.kind == "endpoint" and self._on_endpoint:
            self._on_endpoint(model_from_json(Endpoint, event.data))
        elif event.kind == "note" and event.data.get("task") == self._task:
            yield str(event.data.get("message", ""))
        elif task := task_of(event, self._task):
            yield from self._changed(task)

    def _catch_up(self) -> Iterator[FollowEvent]:
        current = self._transport.get(f"{API}/tasks/{path_segment(self._task)}")
        yield from self._changed(model_from_json(Task, current))

    def _changed(self, task: Task) -> Iterator[FollowEvent]:
        """The rest of the log comes before the final state of the task."""
        if not task.is_final:
            yield task
        if task.is_final or task.started:
            yield from self._stored()
        if task.is_final:
            if _ended_just_now(task):
                yield from self._last_bytes()
            yield task

    def _stored(self) -> Iterator[LogPart]:
        for part in self._reader.stored(tail_bytes=self._take_tail()):
            self._has_log = True
            yield part

    def _last_bytes(self) -> Iterator[LogPart]:
        """Logs and states are sent separately, so the end of a log may arrive just after the end of the task."""
        end = time.monotonic() + (LAST_BYTES_SECONDS if self._has_log else FIRST_BYTES_SECONDS)
        while time.monotonic() < end:
            time.sleep(0.05)
            for part in self._stored():
                end = time.monotonic() + LAST_BYTES_SECONDS
                yield part

    def _take_tail(self) -> int | None:
        tail, self._tail_bytes = self._tail_bytes, None
        return tail


def _ended_just_now(task: Task) -> bool:
    return task.ended is None or time.time() - task.ended < JUST_NOW_SECONDS
