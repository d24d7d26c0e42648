"""A task's log as it grows: each byte once, whatever the connection does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from diamond.core.errors import EndpointAway
from diamond.sdk.event_stream import StreamEvent
from diamond.sdk.models import Task, model_from_json
from diamond.sdk.transport import API, Response, Transport, path_segment

STREAMS = ("stdout", "stderr")
PIECE = 1 << 20

StreamKey = tuple[str, int, str]


@dataclass(frozen=True)
class LogPart:
    """Some bytes of one stream; `skipped` counts bytes before them that could not be had now."""

    attempt: str
    run: int
    stream: str
    offset: int
    data: bytes
    skipped: int = 0


class LogReader:
    """Knows how far each stream was read, so that stored and live bytes join without a seam.

    Of several ranks, 0 stands for the run's own log, in which the lines of all are.
    """

    def __init__(
        self, transport: Transport, task: str, streams: tuple[str, ...] = STREAMS, rank: int = 0
    ) -> None:
        self._rank = rank
        self._transport = transport
        self._task = task
        self._streams = streams
        self._next: dict[StreamKey, int] = {}

    def streams(self) -> list[dict[str, Any]]:
        """What there is: attempt, run, rank, stream, size."""
        path = f"{API}/tasks/{path_segment(self._task)}/logs"
        return [one for one in self._transport.get(path)["items"] if one["stream"] in self._streams]

    def stored(
        self, *, attempt: str = "", run: int | None = None, tail_bytes: int | None = None
    ) -> Iterator[LogPart]:
        """Everything up to now of the streams chosen; `tail_bytes` begins that far before the end."""
        for one in self.streams():
            if attempt not in ("", one["attempt"]) or run not in (None, one["run"]):
                continue
            if int(one["rank"]) != self._rank:
                continue
            place = (str(one["attempt"]), int(one["run"]), str(one["stream"]))
            size = int(one["size"])
            if tail_bytes is not None:
                self._next[place] = max(0, size - tail_bytes)
            yield from self._up_to(place, size)

    def live(self, event: StreamEvent) -> Iterator[LogPart]:
        """What a `log` event adds; a gap before it is fetched first."""
        data = event.data
        if data.get("task") != self._task or data.get("stream") not in self._streams:
            return
        if int(data.get("rank") or 0) != self._rank:
            return
        place = (str(data["attempt"]), int(data["run"]), str(data["stream"]))
        if data.get("skipped"):
            yield from self._up_to(place, int(data["skipped"][1]))
            return
        content = str(data.get("text", "")).encode()
        offset = int(data.get("offset", 0))
        end = offset + int(data.get("length", len(content)))
        if offset == self._next.get(place, 0):
            self._next[place] = end
            yield LogPart(*place, offset=offset, data=content)
        else:
            yield from self._up_to(place, end)

    def _up_to(self, place: StreamKey, end: int) -> Iterator[LogPart]:
        while (offset := self._next.get(place, 0)) < end:
            try:
                answer = self._read(place, offset)
            except EndpointAway:
                yield self._skip(place, offset, end)
                return
            after = int(answer.headers.get("diamond-next-offset", offset + len(answer.body)))
            if after <= offset:
                return
            self._next[place] = after
            yield LogPart(*place, offset=offset, data=answer.body)

    def _skip(self, place: StreamKey, offset: int, end: int) -> LogPart:
        """The middle of a huge log stays on the cluster; its end is kept by the service."""
        start = self._kept_from(place, offset, end)
        data = self._read(place, start).body if start < end else b""
        self._next[place] = start + len(data) if data else end
        return LogPart(*place, offset=start, data=data, skipped=start - offset)

    def _kept_from(self, place: StreamKey, offset: int, end: int) -> int:
        for one in self.streams():
            if (one["attempt"], one["run"], one["stream"]) == place and one["rank"] == self._rank:
                later = [int(low) for low, _ in one.get("kept") or [] if low >= offset]
                return min([*later, end])
        return end

    def _read(self, place: StreamKey, offset: int) -> Response:
        attempt, run, stream = place
        query = {
            "attempt": attempt,
            "run": run,
            "rank": self._rank,
            "offset": offset,
            "limit": PIECE,
        }
        path = f"{API}/tasks/{path_segment(self._task)}/logs/{stream}"
        return self._transport.call("GET", path, query=query)


def task_of(event: StreamEvent, task: str) -> Task | None:
    """The task of that id, if the event tells how it now is."""
    if event.kind != "task" or event.data.get("id") != task:
        return None
    return model_from_json(Task, event.data)
