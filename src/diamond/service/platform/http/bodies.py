"""Bodies of calls as the bytes come."""

from __future__ import annotations

from fastapi import Request

from diamond.core.errors import TooLarge


async def body_parts(request: Request, limit: int) -> list[bytes]:
    """As they come: joining 16 MB costs as much as writing them."""
    parts, size = [], 0
    async for block in request.stream():
        size += len(block)
        if size > limit:
            raise TooLarge(f"More than {limit} bytes in one call", "Send less at a time.")
        if block:
            parts.append(block)
    return parts
