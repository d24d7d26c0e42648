"""HTTP to one service over keep-alive connections, with the standard library only.

Importing http.client takes 0.02 s, httpx 0.19 s, and `diamond tasks` must start fast.
"""

from __future__ import annotations

import http.client
import json
import secrets
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO
from urllib.parse import quote, urlencode, urlsplit

from diamond import __version__
from diamond.core.errors import DiamondError, ServiceUnreachable, from_problem
from diamond.sdk.client_config import ServiceAddress

API = "/api/v1"
PAUSES = (0.1, 0.5)
"""Seconds before a call is repeated after a lost connection."""
LOST = (http.client.HTTPException, ConnectionError, TimeoutError, OSError)

Query = Mapping[str, Any]
Body = bytes | BinaryIO


@dataclass(frozen=True)
class Response:
    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body) if self.body else {}


class Transport:
    """HTTP calls to one service with one token; safe for several threads."""

    def __init__(self, address: ServiceAddress, *, timeout: float = 60.0) -> None:
        self.address = address
        self.timeout = timeout
        self._local = threading.local()

    def get(self, path: str, query: Query | None = None) -> Any:
        return self.call("GET", path, query=query).json()

    def post(self, path: str, body: Any = None, *, creates: bool = False) -> Any:
        """`creates` sends an idempotency key, so the call can be repeated safely if the answer is lost."""
        headers = {"Idempotency-Key": secrets.token_hex(16)} if creates else {}
        return self.call("POST", path, body=_as_json(body), headers=headers).json()

    def send(self, method: str, path: str, body: Any = None) -> Any:
        return self.call(method, path, body=_as_json(body)).json()

    def call(
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        body: Body | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """One request; raises the service's own error, or `ServiceUnreachable`.

        Retries after a lost connection: calls that create something have an idempotency key, and all
        other calls may be repeated.
        """
        sent = dict(headers or {})
        target = path_with(path, query)
        for pause in (*PAUSES, None):
            try:
                answer = self._exchange(method, target, body, sent)
                break
            except LOST as error:
                self.close()
                refused = isinstance(error, ConnectionRefusedError)
                if refused or pause is None or not _rewinds(body):
                    raise unreachable(self.address.url, error) from error
                time.sleep(pause)
        if answer.status >= 400:
            raise error_from_response(answer.status, answer.body)
        return answer

    def forward(self, path: str, body: bytes, headers: Mapping[str, str]) -> Response:
        """Forward one POST unchanged and return any response; raises only if there is none.

        An idle connection may belong to a service that has ended, so a new one is tried immediately.
        """
        was_kept = getattr(self._local, "connection", None) is not None
        try:
            return self._exchange("POST", path, body, headers)
        except LOST as error:
            self.close()
            if was_kept and not isinstance(error, TimeoutError):
                return self.forward(path, body, headers)
            raise unreachable(self.address.url, error) from error

    def open(
        self,
        path: str,
        *,
        query: Query | None = None,
        headers: Mapping[str, str] | None = None,
        body: Any = None,
    ) -> tuple[http.client.HTTPResponse, http.client.HTTPConnection]:
        """A long answer on its own connection; the caller reads and closes both. With `body`: of a POST."""
        connection = self._connect()
        method, content = ("GET", None) if body is None else ("POST", _as_json(body))
        try:
            own = self._headers(headers or {})
            connection.request(method, path_with(path, query), body=content, headers=own)
            response = connection.getresponse()
        except LOST as error:
            connection.close()
            raise unreachable(self.address.url, error) from error
        if response.status >= 400:
            body = response.read()
            connection.close()
            raise error_from_response(response.status, body)
        return response, connection

    def close(self) -> None:
        """Close this thread's connection."""
        connection = getattr(self._local, "connection", None)
        if connection is not None:
            connection.close()
            self._local.connection = None

    def _exchange(
        self, method: str, target: str, body: Body | None, headers: Mapping[str, str]
    ) -> Response:
        connection = getattr(self._local, "connection", None) or self._connect()
        self._local.connection = connection
        connection.request(method, target, body=body, headers=self._headers(headers))
        response = connection.getresponse()
        content = response.read()
        received = {name.lower(): value for name, value in response.getheaders()}
        return Response(response.status, received, content)

    def _connect(self) -> http.client.HTTPConnection:
        parts = urlsplit(self.address.url)
        kind = (
            http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        )
        return kind(parts.hostname or "", parts.port, timeout=self.timeout)

    def _headers(self, extra: Mapping[str, str]) -> dict[str, str]:
        own = {"User-Agent": f"diamond/{__version__}", "Accept": "application/json"}
        if self.address.token:
            own["Authorization"] = f"Bearer {self.address.token}"
        return {**own, "Content-Type": "application/json", **extra}


def path_with(path: str, query: Query | None) -> str:
    """The path with a query string; empty values are omitted, a list repeats its name."""
    pairs = [(k, v) for k, value in (query or {}).items() for v in _values(value)]
    return path + ("?" + urlencode(pairs) if pairs else "")


def path_segment(text: str) -> str:
    """One path segment, escaped, from any user input."""
    return quote(text, safe="") or "%20"


def error_from_response(status: int, body: bytes) -> DiamondError:
    """The error in a response, even one written by a proxy."""
    try:
        problem = json.loads(body)
    except ValueError:
        problem = {}
    if not isinstance(problem, dict) or "title" not in problem:
        text = body.decode(errors="replace").strip()[:200]
        problem = {"title": f"The service answered {status}: {text or 'empty body'}", "code": ""}
    return from_problem({"status": status, **problem})


def unreachable(url: str, error: BaseException) -> ServiceUnreachable:
    reason = str(error) or type(error).__name__
    return ServiceUnreachable(
        f"No Diamond service answers at {url} ({reason})",
        "Start it with `diamond up`, or find the problem with `diamond doctor`.",
    )


def _values(value: Any) -> Iterator[str]:
    if value is None or value == "":
        return
    if isinstance(value, Sequence) and not isinstance(value, str):
        yield from (str(item) for item in value)
    else:
        yield str(value).lower() if isinstance(value, bool) else str(value)


def _as_json(body: Any) -> bytes:
    return json.dumps({} if body is None else body).encode()


def _rewinds(body: Body | None) -> bool:
    """Whether the body can be sent again."""
    if body is None or isinstance(body, bytes):
        return True
    try:
        body.seek(0)
    except (OSError, AttributeError):
        return False
    return True
