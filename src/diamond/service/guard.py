"""Turns away what a foreign web page, or a name pointed at us, could make a browser send."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from diamond.core.errors import BadRequest, DiamondError, Forbidden
from diamond.service.problems import response
from diamond.service.settings import Settings

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


class Guard:
    """Only our own names in `Host`, only our own pages in `Origin`, plain http on loopback alone."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._settings = settings
        schemes = ("http", "https")
        self._origins = {f"{scheme}://{host}" for scheme in schemes for host in settings.hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope) if scope["type"] == "http" else None
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            await response(refusal)(scope, receive, send)

    def _refusal(self, scope: Scope) -> DiamondError | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if host.lower() not in self._settings.hosts:
            hint = f"This service answers at {self._settings.url}."
            return BadRequest(f"Host {host!r} is not this service", hint, code="bad-host")
        if self._is_public(host) and not _came_by_tls(scope, headers):
            return Forbidden(
                "Plain http is refused beyond this machine", "Use the https:// address."
            )
        origin = headers.get("origin")
        if origin and scope["method"] not in SAFE_METHODS and origin not in self._origins:
            return Forbidden(f"A page of {origin!r} may not write here", code="bad-origin")
        return None

    def _is_public(self, host: str) -> bool:
        return bool(self._settings.public_url) and host in self._settings.public_url


def _came_by_tls(scope: Scope, headers: Headers) -> bool:
    return scope.get("scheme") == "https" or headers.get("x-forwarded-proto") == "https"
