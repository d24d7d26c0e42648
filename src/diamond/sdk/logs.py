"""Read a growing log: every byte exactly once, even over a bad connection."""

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
    """Some bytes of one stream; `skipped` counts bytes before them that are not available now."""

    attempt: str
    run: int
    stream: str
    offset: int
    data: bytes
    skipped: int = 0


class LogReader:
    """Remembers how far each stream was read, so stored and live bytes join without gaps.

    Rank 0 means the log of the whole run, with the lines of all ranks.
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
        """The available streams: attempt, run, rank, stream, size."""
        path = f"{API}/tasks/{path_segment(self._task)}/logs"
        return [
            stream
            for stream in self._transport.get(path)["items"]
            if stream["stream"] in self._streams
        ]

    def stored(
        self, *, attempt: str = "", run: int | None = None, tail_bytes: int | None = None
    ) -> Iterator[LogPart]:
        """Everything so far of the chosen streams; `tail_bytes` starts that far before the end."""
        for stream in self.streams():
            if attempt not in ("", stream["attempt"]) or run not in (None, stream["run"]):
                continue
            if int(stream["rank"]) != self._rank:
                continue
            key = (str(stream["attempt"]), int(stream["run"]), str(stream["stream"]))
            size = int(stream["size"])
            if tail_bytes is not None:
                self._next[key] = max(0, size - tail_bytes)
            yield from self._up_to(key, size)

    def live(self, event: StreamEvent) -> Iterator[LogPart]:
        """The bytes of a `log` event, after fetching any gap before them."""
        data = event.data
        if data.get("task") != self._task or data.get("stream") not in self._streams:
            return
        if int(data.get("rank") or 0) != self._rank:
            return
        key = (str(data["attempt"]), int(data["run"]), str(data["stream"]))
        if data.get("skipped"):
            yield from self._up_to(key, int(data["skipped"][1]))
            return
        content = str(data.get("text", "")).encode()
        offset = int(data.get("offset", 0))
        end = offset + int(data.get("length", len(content)))
        if offset == self._next.get(key, 0):
            self._next[key] = end
            yield LogPart(*key, offset=offset, data=content)
        else:
            yield from self._up_to(key, end)

    def _up_to(self, key: StreamKey, end: int) -> Iterator[LogPart]:
        while (offset := self._next.get(key, 0)) < end:
            try:
                answer = self._read(key, offset)
            except EndpointAway:
                yield self._skip(key, offset, end)
                return
            after = int(answer.headers.get("diamond-next-offset", offset + len(answer.body)))
            if after <= offset:
                return
            self._next[key] = after
            yield LogPart(*key, offset=offset, data=answer.body)

    def _skip(self, key: StreamKey, offset: int, end: int) -> LogPart:
        """The middle of a huge log stays on the cluster; the service keeps the end."""
        start = self._kept_from(key, offset, end)
        data = self._read(key, start).body if start < end else b""
        self._next[key] = start + len(data) if data else end
        return LogPart(*key, offset=start, data=data, skipped=start - offset)

    def _kept_from(self, key: StreamKey, offset: int, end: int) -> int:
        for stream in self.streams():
            if (stream["attempt"], stream["run"], stream["stream"]) == key and stream[
                "rank"
            ] == self._rank:
                later = [int(low) for low, _ in stream.get("kept") or [] if low >= offset]
                return min([*later, end])
        return end

    def _read(self, key: StreamKey, offset: int) -> Response:
        attempt, run, stream = key
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
    """The new state of this task, if the event reports it."""
    if event.kind != "task" or event.data.get("id") != task:
        return None
    return model_from_json(Task, event.data)
