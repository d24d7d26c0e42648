"""Who is let in, by host name, peer address and the word of a proxy."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Message

from diamond.core.errors import BadRequest
from diamond.service.platform.http.body_limit import MAX_JSON, limit_of
from diamond.service.platform.http.guard import Guard
from diamond.service.settings import Settings, check_settings, read_proxies

SHARED = Settings(
    Path("h"), host="0.0.0.0", public_url="HTTPS://D.Example.org/", proxies=("10.0.0.5",)
)
LOCAL = "127.0.0.1:8642"
PUBLIC = "d.example.org"


def status(
    host: str,
    *,
    peer: str = "127.0.0.1",
    forwarded: str = "",
    origin: str = "",
    settings: Settings = SHARED,
) -> int:
    given = {"host": host, "x-forwarded-proto": forwarded, "origin": origin}
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/",
        "scheme": "http",
        "client": (peer, 5),
        "headers": [(k.encode(), v.encode()) for k, v in given.items() if v],
    }
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(Guard(PlainTextResponse("in"), settings)(scope, receive, send))
    return int(sent[0]["status"])


def test_the_public_name_is_compared_whole_and_in_any_case() -> None:
    assert status(PUBLIC, forwarded="https") == 200
    assert status("D.EXAMPLE.ORG", forwarded="https") == 200
    for part in ("example.org", "d.example", "org", "d.example.org.evil.net", "d.example.org:81"):
        assert status(part, forwarded="https") == 400


def test_a_public_address_in_mixed_case_works() -> None:
    check_settings(SHARED)
    assert SHARED.url == "https://d.example.org"
    assert status(PUBLIC, forwarded="https", origin="https://d.example.org") == 200


def test_beyond_loopback_only_https_is_answered_whatever_the_host_says() -> None:
    assert status(LOCAL, peer="192.0.2.7") == 403
    assert status(PUBLIC, peer="192.0.2.7") == 403
    assert status(LOCAL) == 200
    assert status(LOCAL, peer="::1") == 200
    assert status(LOCAL, peer="::ffff:127.0.0.1") == 200


def test_only_loopback_and_named_proxies_are_believed_about_https() -> None:
    assert status(PUBLIC, peer="192.0.2.7", forwarded="https") == 403
    assert status(PUBLIC, peer="10.0.0.5", forwarded="https") == 200
    assert status(PUBLIC, peer="::ffff:10.0.0.5", forwarded="https") == 200
    assert status(PUBLIC, peer="10.0.0.5", forwarded="http") == 403
    assert status(PUBLIC, forwarded="http") == 403


def test_proxies_are_addresses() -> None:
    assert read_proxies("10.0.0.5, fd00::1,") == ("10.0.0.5", "fd00::1")
    with pytest.raises(BadRequest, match="proxies"):
        read_proxies("proxy.example.org")


def test_a_public_address_has_https_and_a_name() -> None:
    for wrong in ("https:", "http://d.example.org", "d.example.org"):
        with pytest.raises(BadRequest):
            check_settings(Settings(Path("h"), public_url=wrong))


def test_only_streams_of_bytes_have_limits_of_their_own() -> None:
    assert limit_of("/api/v1/jobs") == MAX_JSON
    assert limit_of("/api/v1/blobs/other") == MAX_JSON
    assert limit_of("/api/v1/blobs") is None
    assert limit_of("/api/v1/sync/answers/r1") is None
