"""Bodies of calls as the bytes come."""

from __future__ import annotations

from fastapi import Request

from diamond.core.errors import TooLarge
from diamond.service.platform.http.bulk_bodies import collect


async def body_parts(request: Request, limit: int) -> list[bytes]:
    """Of a caller who may send them: up to 16 MB are one part, where the length was stated."""
    parts, size = [], 0
    collect(request.scope)
    async for block in request.stream():
        size += len(block)
        if size > limit:
            raise TooLarge(f"More than {limit} bytes in one call", "Send less at a time.")
        if block:
            parts.append(block)
    return parts
