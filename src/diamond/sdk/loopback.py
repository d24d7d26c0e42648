"""An address on this machine alone, to which its browser brings one answer (RFC 8252)."""

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
LET_IN, NOT_LET_IN = "Your terminal is signed in", "Your terminal was not let in"
READ_SECONDS = 5.0


class Loopback:
    """Open from `with` on; its address holds a word that only the page which was opened knows."""

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
        """The word that the browser brought; raises for a no, and when nobody came in time."""
        while self._server.brought is None and time.time() < until:
            self._server.timeout = min(1.0, max(0.0, until - time.time()))
            self._server.handle_request()
        if self._server.brought is None:
            raise NotSignedIn(
                "Nobody answered on the page within ten minutes", "Run `diamond login` again."
            )
        if not self._server.brought:
            raise Forbidden("You were not let in: the answer on the page was no")
        return self._server.brought


class _Server(HTTPServer):
    def __init__(self, path: str) -> None:
        self.path = path
        self.brought: str | None = None
        """'' for a no."""
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Somebody came and went: the browser is still expected."""


class _Handler(BaseHTTPRequestHandler):
    timeout = READ_SECONDS
    server: _Server

    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        if not secrets.compare_digest(asked.path.encode(), self.server.path.encode()):
            self.send_error(404)
            return
        self.server.brought = parse_qs(asked.query).get("code", [""])[0]
        page = PAGE.format(LET_IN if self.server.brought else NOT_LET_IN).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.send_header("Referrer-Policy", "no-referrer")
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, format: str, *args: object) -> None:
        """The word is in the address: it is written nowhere."""
