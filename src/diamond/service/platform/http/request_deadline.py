"""The head of a request must arrive within a time limit and a size limit: uvicorn itself waits forever."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_SECONDS = 30.0
MOST_HEAD = 1 << 20
"""What may come before a head is whole, in bytes; a read may bring the start of a body with it."""


class TimelyProtocol(HttpToolsProtocol):
    """One connection. Once the head is there, `body_limit.py` handles the rest."""

    _late: asyncio.TimerHandle | None = None
    _came = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_expecting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._came += len(data) if self._late is not None else 0
        if self._came > MOST_HEAD:
            self.transport.close()
            return
        super().data_received(data)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._late is None:
            self._expect_head()

    def on_headers_complete(self) -> None:
        self._stop_expecting()
        super().on_headers_complete()

    def _expect_head(self) -> None:
        self._came = 0
        self._late = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _stop_expecting(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
