"""A local address that receives one answer from a browser on this machine (RFC 8252)."""

from __future__ import annotations

import secrets
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from types import TracebackType
from typing import Self
from urllib.parse import parse_qs, urlsplit

from diamond.core.errors import Forbidden, NotSignedIn

PAGE = (
    "<!doctype html><html lang=en><meta charset=utf-8><meta name=color-scheme content='light dark'>"
    "<title>Diamond</title><body style='font:16px/1.5 system-ui;margin:15vh auto;max-width:30em'>"
    "<h1 style='font-size:1.4em'>{}</h1><p>You can close this page and go back to the terminal.</p>"
)
SIGNED_IN, NOT_SIGNED_IN = "Your terminal is signed in", "Your terminal was not signed in"
READ_SECONDS = 5.0


class Loopback:
    """Listens inside a `with` block; its address contains a secret that only the opened page knows."""

    def __init__(self) -> None:
        self._path = f"/{secrets.token_urlsafe(24)}"
        self._server = _Server(self._path)

    @property
    def redirect(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}{self._path}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.server_close()

    def wait(self, until: float) -> str:
        """The code from the browser; raises if the user declined or did not answer in time."""
        while self._server.received is None and time.time() < until:
            self._server.timeout = min(1.0, max(0.0, until - time.time()))
            self._server.handle_request()
        if self._server.received is None:
            raise NotSignedIn(
                "No answer on the sign-in page within ten minutes", "Run `diamond login` again."
            )
        if not self._server.received:
            raise Forbidden("Sign-in was declined on the page")
        return self._server.received


class _Server(HTTPServer):
    def __init__(self, path: str) -> None:
        self.path = path
        self.received: str | None = None
        """'' if the user declined."""
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore failed requests; the browser is still expected."""


class _Handler(BaseHTTPRequestHandler):
    timeout = READ_SECONDS
    server: _Server

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        if not secrets.compare_digest(url.path.encode(), self.server.path.encode()):
            self.send_error(404)
            return
        self.server.received = parse_qs(url.query).get("code", [""])[0]
        page = PAGE.format(SIGNED_IN if self.server.received else NOT_SIGNED_IN).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.send_header("Referrer-Policy", "no-referrer")
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, format: str, *args: object) -> None:
        """The code is in the URL, so nothing is logged."""
