"""API calls about endpoints, secrets and tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from diamond.sdk.listing import Listing
from diamond.sdk.models import Endpoint, model_from_json
from diamond.sdk.transport import API, Query, Transport, path_segment


class EndpointCalls:
    """API calls about endpoints; `Client` adds jobs and tasks."""

    def __init__(self, transport: Transport) -> None:
        self.transport = transport

    @property
    def url(self) -> str:
        return self.transport.address.url

    def health(self) -> dict[str, Any]:
        return dict(self.transport.get(f"{API}/health"))

    def me(self) -> dict[str, Any]:
        return dict(self.transport.get(f"{API}/me"))

    def open_link(self) -> str:
        """A one-time link that signs a browser in."""
        return str(self.transport.post(f"{API}/open")["url"])

    def endpoints(self) -> list[Endpoint]:
        return [
            model_from_json(Endpoint, item) for item in self.pages(f"{API}/endpoints", {}, None)
        ]

    def endpoint(self, name: str) -> Endpoint:
        return model_from_json(Endpoint, self.transport.get(_path(name)))

    def add_endpoint(self, name: str, carrier: str = "https", ssh_host: str = "") -> dict[str, Any]:
        """`{"endpoint", "pairing_code"?, "line"?, "key"?}`."""
        body = {"name": name, "carrier": carrier, **({"ssh_host": ssh_host} if ssh_host else {})}
        return dict(self.transport.post(f"{API}/endpoints", body, creates=True))

    def confirm_endpoint(self, name: str, accept: bool = True) -> Endpoint:
        return model_from_json(
            Endpoint, self.transport.post(_path(name, "confirm"), {"accept": accept})
        )

    def new_pairing_code(self, name: str) -> dict[str, Any]:
        return dict(self.transport.post(_path(name, "pairing"), creates=True))

    def new_endpoint_key(self, name: str) -> str:
        """A new key for a bridge or agent on this machine; older keys become invalid."""
        return str(self.transport.post(_path(name, "key"))["key"])

    def change_endpoint(self, name: str, changes: Mapping[str, Any]) -> Endpoint:
        return model_from_json(Endpoint, self.transport.send("PATCH", _path(name), dict(changes)))

    def remove_endpoint(self, name: str) -> None:
        self.transport.send("DELETE", _path(name))

    def endpoint_away(self, name: str) -> None:
        """Report that the ssh connection to an endpoint has ended."""
        self.transport.post(_path(name, "away"))

    def probe(self, name: str, *, compute: bool = False) -> None:
        self.transport.post(_path(name, "probe"), {"compute": compute})

    def upgrade(self, name: str) -> None:
        """Upgrade the agent to the service's version; jobs are not affected."""
        self.transport.post(_path(name, "upgrade"), {})

    def profile(self, name: str) -> dict[str, Any]:
        return dict(self.transport.get(_path(name, "profile")))

    def import_profile(self, name: str, profile: Mapping[str, Any]) -> None:
        self.transport.send("PUT", _path(name, "profile"), dict(profile))

    def browse(self, endpoint: str, path: str = "", start: int = 0) -> dict[str, Any]:
        """Names in a folder of the machine; without a path, where to begin. `next` is the `start` of the next page."""
        query = {"path": path, "start": start}
        return dict(self.transport.get(_path(endpoint, "browse"), query))

    def secrets(self, endpoint: str) -> list[str]:
        items = self.transport.get(_path(endpoint, "secrets"))["items"]
        return [str(item["name"] if isinstance(item, dict) else item) for item in items]

    def set_secret(self, endpoint: str, name: str, value: str) -> None:
        path = _path(endpoint, "secrets", path_segment(name))
        self.transport.send("PUT", path, {"value": value})

    def remove_secret(self, endpoint: str, name: str) -> None:
        self.transport.send("DELETE", _path(endpoint, "secrets", path_segment(name)))

    def clean(self, endpoint: str, body: Mapping[str, Any]) -> dict[str, Any]:
        return dict(self.transport.post(_path(endpoint, "clean"), dict(body)))

    def tokens(self) -> list[dict[str, Any]]:
        return list(self.pages(f"{API}/tokens", {}, None))

    def create_token(
        self, name: str, days: int | None = None, scopes: Sequence[str] = ()
    ) -> dict[str, Any]:
        """Without scopes the token may do everything you may do, except administration."""
        body = {"name": name, "scopes": list(scopes), **({"days": days} if days else {})}
        return dict(self.transport.post(f"{API}/tokens", body, creates=True))

    def revoke_token(self, token: str) -> None:
        self.transport.send("DELETE", f"{API}/tokens/{path_segment(token)}")

    def agent_file(self) -> bytes:
        """The agent program, as one file."""
        return self.transport.call("GET", "/agent.pyz").body

    def pages(
        self, path: str, query: Query, limit: int | None, cursor: str = ""
    ) -> Listing[dict[str, Any]]:
        """Items of a paged list, at most `limit`."""
        return Listing(self.transport, path, query, limit, cursor)


def _path(name: str, *more: str) -> str:
    return "/".join([f"{API}/endpoints/{path_segment(name)}", *more])
