"""Every call of the sync protocol works over both carriers: one table, walked here."""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from fastapi.routing import APIRoute

from diamond.agent.link.carriers import HttpLink, Link, LinkClosed
from diamond.agent.link.stdio import StdioLink
from diamond.cli.ssh_bridge import Bridge
from diamond.core.sync_calls import SYNC_CALLS, SyncCall, find_call
from diamond.sdk.client_config import ServiceAddress
from diamond.service.sync.routes import router
from support.small_server import Reply, Request, SmallServer, serving

KEY = "endpoint-key"
SUBJECT = "0123456789abcdef" * 4
QUERY = "offset=3&size=9"
WITH_KEY = [call for call in SYNC_CALLS.values() if call.needs_key]


def echo(request: Request) -> Reply:
    return Reply(request.path.encode() + b" " + request.body)


@contextmanager
def over_http(server: SmallServer) -> Iterator[Link]:
    yield HttpLink(server.url, KEY)


@contextmanager
def over_ssh(server: SmallServer) -> Iterator[Link]:
    """The agent's pipes and the bridge on its owner's laptop."""
    bridge_reads, agent_writes = os.pipe()
    agent_reads, bridge_writes = os.pipe()
    source, target = os.fdopen(bridge_reads, "rb"), os.fdopen(bridge_writes, "wb")
    calls = os.fdopen(agent_writes, "wb")
    bridge = Bridge(ServiceAddress(server.url, KEY), source, target)
    forwarding = threading.Thread(target=bridge.serve, daemon=True)
    forwarding.start()
    link = StdioLink(os.fdopen(agent_reads, "rb"), calls)
    try:
        yield link
    finally:
        calls.close()
        forwarding.join(10)
        target.close()
        link.closed.wait(10)


def carried(call: SyncCall, link: Link) -> bytes:
    """The answer, read the way the agent reads it."""
    link.act_as(4)
    path = f"{call.name}/{SUBJECT}" if call.subject else call.name
    if call.answer is None:
        with link.fetch(path, b"body \x00\xff") as stream:
            return stream.read()
    return link.call(path, b"body \x00\xff", query=QUERY)


@pytest.mark.parametrize("call", WITH_KEY, ids=lambda call: call.name)
def test_a_call_arrives_the_same_over_https_and_over_ssh(call: SyncCall) -> None:
    with serving(echo) as server:
        with over_http(server) as link:
            by_http = carried(call, link)
        with over_ssh(server) as link:
            by_ssh = carried(call, link)
        first, second = server.requests
    assert by_http == by_ssh == first.path.encode() + b" body \x00\xff"
    assert (first.path, first.query, first.body) == (second.path, second.query, second.body)
    for name in ("authorization", "diamond-protocol", "diamond-generation"):
        assert first.headers[name] == second.headers[name]


def test_an_answer_that_ssh_cuts_off_is_no_answer() -> None:
    """Else half a piece of data would count as a whole one."""
    reading, writing = os.pipe()

    class Far(io.BytesIO):
        def flush(self) -> None:
            """The call has come: half an answer, and the end."""
            os.write(writing, b'{"id":1,"status":200,"length":100}\nonly a part of it')
            os.close(writing)

    link = StdioLink(os.fdopen(reading, "rb"), Far())
    with pytest.raises(LinkClosed):
        link.call("data-part", b"", timeout=5)


def test_the_service_serves_exactly_the_calls_of_the_table() -> None:
    routes = {route.path for route in router.routes if isinstance(route, APIRoute)}
    known = {route.removeprefix("/sync/").partition("/")[0]: route for route in routes}
    assert set(known) == set(SYNC_CALLS)
    for call in SYNC_CALLS.values():
        assert ("{" in known[call.name]) == bool(call.subject), call.name


@pytest.mark.parametrize(
    "path",
    ["", "tokens", "../tokens", "answers", "answers/", "answers/../x", "answers/a/b", "hello/x"],
)
def test_a_path_that_is_not_a_call_is_none(path: str) -> None:
    assert find_call(path) is None
