"""Large bodies of callers who may send them are put together as they come, past the parser of HTTP.

uvicorn hands a body on in parts of at most 256 kB, each copied three times and each a turn of the event loop. For data that
passes through the service that was most of its processor time. Before the route asks for it, nothing is kept beyond uvicorn's
own 64 kB: somebody without a key cannot fill the memory.
"""

from __future__ import annotations

import httptools
from starlette.types import Scope

from diamond.service.platform.http.request_deadline import TimelyProtocol

COLLECT = "diamond.collect"
"""The name in the state of a request."""
MOST_AT_ONCE = 16 << 20
SIGN_SECONDS = 5.0
"""A body that comes slowly is handed on in between, so that it does not look as if nothing came."""


def collect(scope: Scope) -> None:
    """From now on, let the rest of this request's body come in as few parts as possible."""
    start = scope.get("state", {}).get(COLLECT)
    if start is not None:
        start()


class _Collected:
    """Stands for the bytearray of uvicorn's `RequestResponseCycle.body` until it is read."""

    def __init__(self, first: bytes) -> None:
        self.parts = [first] if first else []
        self.size = len(first)

    def __len__(self) -> int:
        return self.size

    def __bytes__(self) -> bytes:
        return b"".join(self.parts)


class BulkProtocol(TimelyProtocol):
    """One connection."""

    _left = 0
    """Of the body that comes now, by its stated length."""
    _collects = False
    _handed_on = 0.0

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._left, self._collects = 0, False

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        self._left = _stated_length(self.headers)
        cycle = self.cycle

        def start() -> None:
            if self.cycle is cycle and self._left and not cycle.response_complete:
                self._collects, self._handed_on = True, self.loop.time()
                cycle.message_event.clear()  # what is here waits for the rest

        self.scope["state"][COLLECT] = start

    def data_received(self, data: bytes) -> None:
        if not self._collects:
            super().data_received(data)
            return
        self._unset_keepalive_if_required()
        here, rest = data, b""
        if len(data) > self._left:
            here, rest = data[: self._left], data[self._left :]
        self._add(here)
        if not self._left:
            self.on_message_complete()
            self._new_parser()
        if rest:
            super().data_received(rest)

    def on_body(self, body: bytes) -> None:
        if self._collects:
            self._add(body)
            return
        self._left -= min(len(body), self._left)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._collects = False
        super().on_message_complete()

    def _add(self, part: bytes) -> None:
        self._left -= min(len(part), self._left)
        cycle = self.cycle
        if cycle.response_complete:
            return
        if not isinstance(cycle.body, _Collected):
            cycle.body = _Collected(bytes(cycle.body))  # type: ignore[assignment]
        collected: _Collected = cycle.body  # type: ignore[assignment]
        collected.parts.append(part)
        collected.size += len(part)
        now = self.loop.time()
        if collected.size >= MOST_AT_ONCE:
            self.flow.pause_reading()
        if collected.size >= MOST_AT_ONCE or now - self._handed_on > SIGN_SECONDS:
            self._handed_on = now
            cycle.message_event.set()

    def _new_parser(self) -> None:
        """The old one still waits for the body that it has not seen."""
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)


def _stated_length(headers: list[tuple[bytes, bytes]]) -> int:
    """0 for a body in chunks, whose end only the parser knows."""
    stated = dict(headers)
    if b"transfer-encoding" in stated:
        return 0
    length = stated.get(b"content-length", b"")
    return int(length) if length.isdigit() else 0
