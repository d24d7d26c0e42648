"""Where a call came from: the other end of the connection, or behind a proxy of ours what that says."""

from __future__ import annotations

from collections.abc import Collection

LONGEST = 64
HERE = ("127.0.0.1", "::1", "")


def caller_address(peer: str, forwarded: str, proxies: Collection[str]) -> str:
    """`forwarded`: X-Forwarded-For, whose last word is the proxy's own; what stands before it anybody could have sent."""
    if forwarded and (peer in HERE or peer in proxies):
        return forwarded.rsplit(",", 1)[-1].strip()[:LONGEST]
    return peer
