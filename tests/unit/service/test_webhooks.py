"""A webhook never leads into the service's own network, whatever its name resolves to."""

from __future__ import annotations

import socket
import threading
from typing import Any

import pytest

from diamond.core.errors import BadRequest
from diamond.service.platform.delivery.webhooks import Webhook, WebhookFailed, call, check_url


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://localhost:8642/",
        "http://[::1]/",
        "http://10.1.2.3/",
        "http://192.168.0.9/",
        "http://169.254.169.254/latest",
        "http://[fe80::1]/",
        "http://0.0.0.0/",
        "http://[::ffff:127.0.0.1]/",
        "http://100.64.0.1/",
        "http://[fd00::1]/",
        "http://224.0.0.1/",
        "http://[64:ff9b::a9fe:a9fe]/",
        "http://[::10.0.0.1]/",
        "http://[2002:7f00:1::]/",
    ],
)
def test_an_address_of_the_own_network_is_refused_when_it_is_saved(url: str) -> None:
    with pytest.raises(BadRequest):
        check_url(url, allow_private=False)
    check_url(url, allow_private=True)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/",
        "example.org",
        "http://",
        "https://a b/",
        "http://u:p@example.org/",
        "http://example.org:99999/",
        "http://example.org/\r\nHost: x",
    ],
)
def test_what_is_no_plain_web_address_is_refused(url: str) -> None:
    with pytest.raises(BadRequest):
        check_url(url, allow_private=True)


def test_a_public_name_that_leads_inside_is_not_called(monkeypatch: pytest.MonkeyPatch) -> None:
    inside = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 80))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: inside)
    with pytest.raises(WebhookFailed) as caught:
        call(Webhook("http://hooks.example.org/"), b"{}", delivery="n1")
    assert "hooks.example.org did not answer, or is not a public address" in caught.value.message


def test_a_redirect_is_not_followed() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        seen: list[bytes] = []
        thread = threading.Thread(target=_answer_once, args=(server, seen), daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}/hook"
        with pytest.raises(WebhookFailed) as caught:
            call(Webhook(url, allow_private=True), b"{}", delivery="n1")
        thread.join(10)
    assert caught.value.is_final
    assert b"POST /hook HTTP/1.1" in seen[0]


def _answer_once(server: socket.socket, seen: list[Any]) -> None:
    connection, _ = server.accept()
    with connection:
        seen.append(connection.recv(4096))
        connection.sendall(
            b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"
        )
