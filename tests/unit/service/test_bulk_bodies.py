"""Large bodies come whole and unchanged, however the network cuts them, and the connection goes on afterwards."""

from __future__ import annotations

import hashlib
import os
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn
from starlette.requests import Request
from starlette.responses import JSONResponse

from diamond.core.errors import TooLarge
from diamond.service.platform.http import bulk_bodies
from diamond.service.platform.http.bodies import body_parts
from diamond.service.platform.http.bulk_bodies import BulkProtocol
from support.service import free_port
from support.waiting import wait_for

LIMIT = 20 << 20


async def app(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] != "http":
        return
    try:
        parts = await body_parts(Request(scope, receive), LIMIT)
    except TooLarge:
        await JSONResponse({"too": "large"}, 413)(scope, receive, send)
        return
    digest = hashlib.sha256(b"".join(parts)).hexdigest()
    await JSONResponse({"digest": digest, "parts": len(parts)})(scope, receive, send)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    port = free_port()
    config = uvicorn.Config(app, port=port, http=BulkProtocol, log_config=None, lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    wait_for(lambda: server.started)
    yield port
    server.should_exit = True
    thread.join(30)


@pytest.fixture
def client(port: int) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as opened:
        yield opened


def head(length: int) -> bytes:
    return b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % length


def answer(client: socket.socket) -> bytes:
    """Head and body of one answer."""
    got = b""
    while b"}" not in got:
        part = client.recv(65536)
        assert part, got
        got += part
    return got


def digest_of(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()


@pytest.mark.parametrize("size", [0, 1, 65_000, 65_537, 3_000_000])
def test_a_body_comes_whole_and_the_next_request_follows(client: socket.socket, size: int) -> None:
    content = os.urandom(size)
    for _ in range(3):
        client.sendall(head(size) + content)
        assert digest_of(content) in answer(client)


def test_a_body_of_a_piece_is_one_part_or_two(client: socket.socket) -> None:
    content = os.urandom(8_000_000)
    client.sendall(head(len(content)))
    client.sendall(content)
    got = answer(client)
    assert digest_of(content) in got
    assert b'"parts":1}' in got or b'"parts":2}' in got


def test_a_request_that_follows_in_the_same_packet_is_its_own(client: socket.socket) -> None:
    first, second = os.urandom(400_000), os.urandom(300_000)
    client.sendall(head(len(first)) + first + head(len(second)) + second)
    got = b""
    while got.count(b"}") < 2:
        got += client.recv(65536)
    assert got.index(digest_of(first)) < got.index(digest_of(second))


def test_one_byte_after_the_other_is_fine(client: socket.socket) -> None:
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for byte in head(3) + b"abc":
        client.send(bytes([byte]))
    assert digest_of(b"abc") in answer(client)


def test_a_body_in_chunks_goes_by_the_parser(client: socket.socket) -> None:
    client.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    client.sendall(b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
    assert digest_of(b"abcde") in answer(client)


def test_more_than_the_limit_is_rejected_and_at_most_sixteen_megabytes_are_kept(
    client: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = 0
    add = BulkProtocol._add

    def watched(self: Any, part: bytes) -> None:
        nonlocal most
        add(self, part)
        most = max(most, len(self.cycle.body))

    monkeypatch.setattr(BulkProtocol, "_add", watched)
    client.sendall(head(LIMIT + (5 << 20)))
    threading.Thread(target=_send_quietly, args=(client, bytes(LIMIT + (5 << 20)))).start()
    assert b" 413 " in answer(client)
    assert most < bulk_bodies.MOST_AT_ONCE + (1 << 20)


def _send_quietly(client: socket.socket, content: bytes) -> None:
    try:
        client.sendall(content)
    except OSError:
        return


def test_a_body_that_ends_in_the_middle_leaves_no_harm(port: int, client: socket.socket) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as cut:
        cut.sendall(head(1_000_000) + bytes(400_000))
    client.sendall(head(2) + b"ok")
    assert digest_of(b"ok") in answer(client)
