"""Streams that break off are taken up again, and each byte of a log comes once."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from itertools import islice
from typing import Any

from diamond.sdk.client_config import ServiceAddress
from diamond.sdk.event_stream import EventStream
from diamond.sdk.follower import Follower
from diamond.sdk.logs import LogPart
from diamond.sdk.models import Task
from diamond.sdk.transport import API, Transport
from support.small_server import Reply, Request, serving

STDOUT = {"attempt": "a1", "run": 1, "rank": 0, "stream": "stdout"}


def sse(kind: str, data: dict[str, Any], number: int) -> bytes:
    return f"id: {number}\nevent: {kind}\ndata: {json.dumps(data)}\n\n".encode()


def log_event(offset: int, text: str, number: int) -> bytes:
    data = {"task": "t1", **STDOUT, "offset": offset, "length": len(text), "text": text}
    return sse("log", data, number)


def test_the_stream_goes_on_after_the_last_event_seen() -> None:
    streams = iter([[sse("task", {"id": "t1"}, 7)], [b": ping\n\n", sse("task", {"id": "t2"}, 8)]])

    def answer(request: Request) -> Reply:
        return Reply(chunks=iter(next(streams)))

    with serving(answer) as server:
        stream = EventStream(Transport(ServiceAddress(server.url, "t")), ["t1"])
        events = list(islice(stream, 4))
        stream.close()
    kinds = [(event.kind, event.data.get("id")) for event in events]
    assert kinds == [("connected", None), ("task", "t1"), ("connected", None), ("task", "t2")]
    first, second = server.requests[:2]
    assert first.query == {"watch": ["t1"], "after": ["now"]}
    assert second.headers["last-event-id"] == "7"


class Service:
    """One task with a log that grows while it is watched."""

    def __init__(self, kept: bytes, later: bytes, events: list[bytes]) -> None:
        self.kept, self.later, self.events = kept, later, events
        self.state = "running"
        self.looked = threading.Event()

    def __call__(self, request: Request) -> Reply:
        if request.path == f"{API}/events":
            return Reply(chunks=self._events())
        if request.path == f"{API}/tasks/t1":
            return Reply(json.dumps({"id": "t1", "state": self.state, "started": 1}).encode())
        if request.path == f"{API}/tasks/t1/logs":
            items = [{**STDOUT, "size": len(self.kept), "kept": [[0, len(self.kept)]]}]
            return Reply(json.dumps({"items": items}).encode())
        self.looked.set()
        offset = int(request.query["offset"][0])
        after = {"Diamond-Next-Offset": str(len(self.kept))}
        return Reply(self.kept[offset:], headers=after)

    def _events(self) -> Iterator[bytes]:
        yield b": hello\n\n"
        assert self.looked.wait(10)
        self.kept = self.later
        yield from self.events
        self.kept = b"0123456789"
        self.state = "succeeded"
        yield sse("task", {"id": "t1", "state": "succeeded", "started": 1}, 99)


def followed(service: Service) -> tuple[bytes, list[str]]:
    with serving(service) as server:
        happenings = list(Follower(Transport(ServiceAddress(server.url, "t")), "t1"))
    data = b"".join(one.data for one in happenings if isinstance(one, LogPart))
    return data, [one.state for one in happenings if isinstance(one, Task)]


def test_stored_and_live_bytes_join_without_a_seam() -> None:
    events = [log_event(0, "012", 1), log_event(3, "345", 2), log_event(3, "345", 2)]
    data, states = followed(Service(b"012", b"012345", events))
    assert data == b"0123456789"
    assert states == ["running", "succeeded"]


def test_a_gap_in_the_live_log_is_fetched() -> None:
    data, _ = followed(Service(b"01", b"0123456", [log_event(5, "56", 1)]))
    assert data == b"0123456789"


def test_the_log_is_complete_before_the_end_is_told() -> None:
    with serving(Service(b"0", b"0", [])) as server:
        happenings = list(Follower(Transport(ServiceAddress(server.url, "t")), "t1"))
    assert isinstance(happenings[-1], Task) and happenings[-1].is_final
    assert isinstance(happenings[-2], LogPart)
