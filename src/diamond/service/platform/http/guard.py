"""Turns away what a foreign web page, or a name pointed at us, could make a browser send."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from diamond.core.errors import BadRequest, DiamondError, Forbidden
from diamond.service.platform.http.problems import response
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
        host = headers.get("host", "").lower()
        if host not in self._settings.hosts:
            hint = f"This service answers at {self._settings.url}."
            return BadRequest(f"Host {host!r} is not this service", hint, code="bad-host")
        if self._needs_tls(host, scope) and not self._came_by_tls(scope, headers):
            return Forbidden(
                "Plain http is refused beyond this machine", "Use the https:// address."
            )
        origin = headers.get("origin")
        if origin and scope["method"] not in SAFE_METHODS and origin not in self._origins:
            return Forbidden(f"A page of {origin!r} may not write here", code="bad-origin")
        return None

    def _needs_tls(self, host: str, scope: Scope) -> bool:
        return host == self._settings.public_host or not _is_loopback(_peer(scope))

    def _came_by_tls(self, scope: Scope, headers: Headers) -> bool:
        """A proxy's word counts only from this machine or an address that the settings name."""
        if scope.get("scheme") == "https":
            return True
        peer = _peer(scope)
        is_proxy = _is_loopback(peer) or peer in self._settings.proxies
        return is_proxy and headers.get("x-forwarded-proto") == "https"


def _peer(scope: Scope) -> str:
    """The address at the other end of the connection; '' for one without, such as a socket in a folder."""
    client = scope.get("client")
    if not client:
        return ""
    try:
        address = ip_address(client[0])
    except ValueError:
        return str(client[0])
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return str(mapped or address)


def _is_loopback(peer: str) -> bool:
    return peer in ("", "::1") or peer.startswith("127.")
