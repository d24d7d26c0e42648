"""How calls reach the service: one protocol, two carriers (`docs/internals/sync-protocol.md`)."""

from __future__ import annotations

import contextlib
import http.client
import io
import json
import ssl
import threading
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any, BinaryIO, Protocol

from diamond.core.agent_messages import Message
from diamond.core.decoding import encode
from diamond.core.errors import BadRequest

PROTOCOL = "1"
PATH = "/api/v1/sync/"
NEVER_RETRIED = frozenset({"commands"})
"""This call is always open: a connection that breaks during it means that the service was restarted."""


class LinkDown(Exception):
    """No answer, or one that says: later."""


class LinkClosed(LinkDown):
    """The carrier is gone for good (the ssh connection ended)."""


class Stale(Exception):
    """The service knows a newer generation."""


class Declined(Exception):
    """The service answered, and said no."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status = status
        self.code = code


class Link(Protocol):
    """Carries calls; several threads may call at once."""

    @property
    def generation(self) -> int:
        """Named in every call; 0 before the first hello."""

    def act_as(self, generation: int) -> None:
        """Name this generation in every call from now on."""

    piece: int
    """How many bytes of a file go into one call: what is on its way holds up other calls of the same connection."""

    def call(self, name: str, body: bytes, *, query: str = "", timeout: float = 30) -> bytes:
        """One call and its answer. Raises `LinkDown`, `Stale` or `Declined`."""

    def fetch(self, name: str, body: bytes) -> AbstractContextManager[BinaryIO]:
        """A call with a large answer, read as a stream."""


def ask(link: Link, name: str, message: Message, *, timeout: float = 30) -> dict[str, Any]:
    """A call whose body (a message of core/agent_messages.py) and answer are JSON objects."""
    return answer_data(name, link.call(name, message_bytes(message), timeout=timeout))


def message_bytes(message: Message) -> bytes:
    return json.dumps(encode(message)).encode()


def answer_data(name: str, answer: bytes) -> dict[str, Any]:
    try:
        value = json.loads(answer or b"{}")
    except ValueError as error:
        raise LinkDown(f"{name}: the answer is not JSON") from error
    return value if isinstance(value, dict) else {}


def check_answer(name: str, status: int, body: bytes) -> None:
    """Raise what a status means; nothing for a good one."""
    if status < 300:
        return
    code, message = _problem(body)
    if status == 409 and code == "generation-stale":
        raise Stale(message)
    if status >= 500 or status in (408, 429):
        raise LinkDown(f"{name}: {status} {message}")
    raise Declined(status, code, message)


class HttpLink:
    """Calls over HTTP(S), one kept connection for each thread."""

    piece = 16 << 20

    def __init__(self, url: str, key: str = "") -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadRequest(f"{url!r} is not an address", "Write https://HOST[:PORT].")
        self.url, self.key, self._generation = url.rstrip("/"), key, 0
        self._parts, self._host = parts, parts.hostname
        self._own = threading.local()

    @property
    def generation(self) -> int:
        return self._generation

    def act_as(self, generation: int) -> None:
        self._generation = generation

    def call(self, name: str, body: bytes, *, query: str = "", timeout: float = 30) -> bytes:
        response = self._send(name, body, query=query, timeout=timeout)
        try:
            answer = response.read()
        except (OSError, http.client.HTTPException) as error:
            raise self._broken(name, error) from error
        check_answer(name, response.status, answer)
        return answer

    @contextlib.contextmanager
    def fetch(self, name: str, body: bytes) -> Iterator[BinaryIO]:
        response = self._send(name, body, query="", timeout=300)
        if response.status >= 300:
            check_answer(name, response.status, response.read())
        try:
            yield io.BufferedReader(_Body(response))
        finally:
            self._drop()

    def get(self, path: str) -> bytes:
        """A plain GET beside the sync calls (the served agent file)."""
        connection = self._connect(60)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            body = response.read()
        except (OSError, http.client.HTTPException) as error:
            raise self._broken(path, error) from error
        check_answer(path, response.status, body)
        return body

    def _send(
        self, name: str, body: bytes, *, query: str, timeout: float
    ) -> http.client.HTTPResponse:
        target = self._parts.path.rstrip("/") + PATH + name + (f"?{query}" if query else "")
        for again in (True, False):
            fresh = getattr(self._own, "connection", None) is None
            connection = self._connect(timeout)
            try:
                connection.request("POST", target, body=body, headers=self._headers())
                return connection.getresponse()
            except (ConnectionError, http.client.HTTPException) as error:
                self._drop()
                if fresh or not again or name in NEVER_RETRIED:
                    raise LinkDown(f"{name}: {error}") from error
            except OSError as error:
                raise self._broken(name, error) from error
        raise LinkDown(name)

    def _headers(self) -> dict[str, str]:
        headers = {"Diamond-Protocol": PROTOCOL, "Content-Type": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        if self.generation:
            headers["Diamond-Generation"] = str(self.generation)
        return headers

    def _connect(self, timeout: float) -> http.client.HTTPConnection:
        connection: http.client.HTTPConnection | None = getattr(self._own, "connection", None)
        if connection is None:
            connection = self._own.connection = self._open(timeout)
        connection.timeout = timeout
        if connection.sock is not None:
            connection.sock.settimeout(timeout)
        return connection

    def _open(self, timeout: float) -> http.client.HTTPConnection:
        proxy = self._proxy()
        host, port = (proxy.hostname or "", proxy.port) if proxy else (self._host, self._parts.port)
        connection: http.client.HTTPConnection
        if self._parts.scheme == "https":
            context = ssl.create_default_context()
            connection = http.client.HTTPSConnection(host, port, timeout=timeout, context=context)
        else:
            connection = http.client.HTTPConnection(host, port, timeout=timeout)
        if proxy:
            connection.set_tunnel(self._host, self._parts.port)
        return connection

    def _proxy(self) -> urllib.parse.SplitResult | None:
        address = urllib.request.getproxies().get(self._parts.scheme)
        if not address or urllib.request.proxy_bypass(self._host):
            return None
        return urllib.parse.urlsplit(address)

    def _broken(self, name: str, error: Exception) -> LinkDown:
        self._drop()
        return LinkDown(f"{name}: {error}")

    def _drop(self) -> None:
        connection = getattr(self._own, "connection", None)
        self._own.connection = None
        if connection is not None:
            connection.close()


class _Body(io.RawIOBase):
    """An answer's body; a failure to read it is the link's, not the disk's."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        super().__init__()
        self._response = response

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            return self._response.readinto(buffer)
        except (OSError, http.client.HTTPException) as error:
            raise LinkDown(str(error)) from error


def _problem(body: bytes) -> tuple[str, str]:
    try:
        problem = json.loads(body)
        return str(problem.get("code", "")), str(problem.get("title", ""))
    except (ValueError, AttributeError):
        return "", body[:200].decode(errors="replace")
