"""Receivers of notifications: a real mail server and a real web server that keep what they receive."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from aiosmtpd.controller import Controller

from support.service import free_port


@dataclass
class Mailbox:
    """What a mail server received."""

    port: int
    mails: list[EmailMessage] = field(default_factory=list)

    @property
    def variables(self) -> dict[str, str]:
        """The settings that make a service use it."""
        return {
            "DIAMOND_SMTP_HOST": "127.0.0.1",
            "DIAMOND_SMTP_PORT": str(self.port),
            "DIAMOND_SMTP_SECURITY": "none",
            "DIAMOND_SMTP_FROM": "diamond@example.org",
        }

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:
        mail = message_from_bytes(envelope.content, policy=policy.default)
        assert isinstance(mail, EmailMessage)
        self.mails.append(mail)
        return "250 taken"


@dataclass
class Receiver:
    """What a web server received; it fails as often as a test wants."""

    url: str = ""
    calls: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    failures: int = 0

    def told(self, task: str) -> list[dict[str, Any]]:
        bodies = [json.loads(body) for _, body in list(self.calls)]
        return [body for body in bodies if body["task"] == task]


@contextmanager
def receiver_up() -> Iterator[Receiver]:
    found = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            status = 204
            if found.failures:
                found.failures -= 1
                status = 503
            else:
                found.calls.append(({k.lower(): v for k, v in self.headers.items()}, body))
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_words: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found.url = f"http://127.0.0.1:{server.server_port}/hook?x=1"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        thread.join(10)


@contextmanager
def mailbox_up() -> Iterator[Mailbox]:
    box = Mailbox(free_port())
    controller = Controller(box, hostname="127.0.0.1", port=box.port)
    controller.start()
    try:
        yield box
    finally:
        controller.stop()
