"""Bodies are read up to a limit, so that no caller fills the memory or holds a call open by sending slowly."""

from __future__ import annotations

import asyncio

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from diamond.core.errors import TooLarge
from diamond.core.units import show_bytes
from diamond.service.platform.http.problems import response

MAX_JSON = 8 << 20
MAX_DIGESTS = 64 << 20
"""A list of digests: near a million files."""
DIGESTS = ("/api/v1/blobs/missing", "/api/v1/sync/blobs")
OWN_LIMITS = (
    "/api/v1/blobs",
    "/api/v1/snapshots",
    "/api/v1/records/imports",
    "/api/v1/sync/bytes",
    "/api/v1/sync/answers/",
    "/api/v1/sync/image-bytes/",
    "/api/v1/sync/manifest-bytes/",
    "/api/v1/sync/preview-bytes/",
    "/api/v1/sync/data-wants/",
    "/api/v1/sync/data-bytes/",
)
"""Their routes read the stream themselves, and stop by themselves."""


PIECE_SECONDS = 30.0
"""How long the next piece of a body may be on its way."""


class BodyLimit:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        limit = limit_of(scope["path"]) if scope["type"] == "http" else None
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif limit is None:
            await self._app(scope, _timely(receive), send)
        elif _stated(scope) > limit:
            await response(too_large(limit))(scope, receive, send)
        else:
            await self._app(scope, _counted(_timely(receive), limit), send)


def limit_of(path: str) -> int | None:
    """In bytes; None where the route has its own limit."""
    if path in DIGESTS:
        return MAX_DIGESTS
    own = any(
        path == limited or (limited.endswith("/") and path.startswith(limited))
        for limited in OWN_LIMITS
    )
    return None if own else MAX_JSON


def too_large(limit: int) -> TooLarge:
    return TooLarge(f"More than {show_bytes(limit)} in one call", "Send less at a time.")


def _stated(scope: Scope) -> int:
    length = Headers(scope=scope).get("content-length", "")
    return int(length) if length.isascii() and length.isdigit() else 0


def _timely(receive: Receive) -> Receive:
    """Only while a body comes: afterwards `receive` tells of the client's leaving, whenever that is."""
    is_whole = False

    async def timed() -> Message:
        nonlocal is_whole
        if is_whole:
            return await receive()
        try:
            async with asyncio.timeout(PIECE_SECONDS):  # `wait_for` makes a task for each part
                message = await receive()
        except TimeoutError:
            raise HTTPException(400, f"Nothing came for {PIECE_SECONDS:g} seconds") from None
        is_whole = not message.get("more_body", False)
        return message

    return timed


def _counted(receive: Receive, limit: int) -> Receive:
    """For a body that comes in chunks, without a stated length."""
    size = 0

    async def counting() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > limit:
            # FastAPI lets only an HTTPException through while it reads a body.
            raise HTTPException(413, str(too_large(limit).message))
        return message

    return counting
