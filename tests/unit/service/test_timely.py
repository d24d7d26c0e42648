"""Connections that are opened and not used, or whose requests never end, are closed."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn

from diamond.service.platform.http import request_deadline as timely
from diamond.service.platform.http.request_deadline import TimelyProtocol
from support.service import free_port
from support.waiting import wait_for

REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


async def app(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "http":
        headers = [(b"content-length", b"2")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"ok"})


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(timely, "HEAD_SECONDS", 0.3)
    port = free_port()
    config = uvicorn.Config(app, port=port, http=TimelyProtocol, log_config=None, lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    wait_for(lambda: server.started)
    yield port
    server.should_exit = True
    thread.join(30)


def opened(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=30)


@pytest.mark.parametrize("begin", [b"", b"G", b"GET / HTTP/1.1\r\nHost: x\r\n"])
def test_a_head_that_does_not_come_whole_ends_its_connection(port: int, begin: bytes) -> None:
    with opened(port) as client:
        client.sendall(begin)
        assert client.recv(100) == b""


def test_the_next_request_on_a_connection_is_waited_for_no_longer_once_it_has_begun(
    port: int,
) -> None:
    with opened(port) as client:
        client.sendall(REQUEST)
        assert b"ok" in client.recv(1000)
        client.sendall(REQUEST)
        assert b"ok" in client.recv(1000)
        client.sendall(b"GET / HT")
        assert client.recv(100) == b""


def test_a_head_without_end_is_not_kept(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timely, "HEAD_SECONDS", 60.0)
    with opened(port) as client, pytest.raises(OSError):
        client.sendall(b"GET / HTTP/1.1\r\nX: ")
        for _ in range(1000):
            client.sendall(b"x" * 65536)
