from __future__ import annotations

import asyncio
from typing import Any

import pytest

from diamond.service.platform.http.rate_limit import (
    MOST_CALLERS,
    Buckets,
    RateLimit,
    mark_signed_in,
)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_a_caller_has_her_calls_and_gets_them_back_evenly(clock: Clock) -> None:
    buckets = Buckets(60, clock)
    assert [buckets.take("ada") for _ in range(60)][-1] == 0
    assert buckets.take("ada") < 0
    assert buckets.take("bob") == 59
    clock.now = 1.0
    assert buckets.take("ada") >= 0
    assert buckets.take("ada") < 0


def test_one_who_goes_on_asking_is_not_shut_out_for_longer(clock: Clock) -> None:
    buckets = Buckets(60, clock)
    for _ in range(10_000):
        left = buckets.take("ada")
    assert 0 < buckets.wait_seconds(left) <= 1.0
    clock.now = 1.5
    assert buckets.take("ada") >= 0


def test_many_callers_do_not_fill_the_memory(clock: Clock) -> None:
    buckets = Buckets(60, clock)
    for number in range(MOST_CALLERS + 100):
        buckets.take(str(number))
    assert len(buckets._levels) == MOST_CALLERS


class Knocker:
    """Calls through the limit to a service that knows one token."""

    def __init__(self, per_minute: float) -> None:
        self.limit = RateLimit(self._app, per_minute, proxies=("10.0.0.5",))

    async def _app(self, scope: Any, receive: Any, send: Any) -> None:
        shown = dict(scope["headers"]).get(b"authorization", b"Bearer good")
        is_open = scope["path"].endswith("/open")
        status = 200 if is_open or shown == b"Bearer good" else 401
        if shown == b"Bearer good":
            mark_signed_in(scope)
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    def call(self, token: str = "", peer: str = "10.0.0.5", told: str = "", path: str = "") -> int:
        headers = [(b"authorization", f"Bearer {token}".encode())] if token else []
        headers += [(b"x-forwarded-for", told.encode())] if told else []
        scope = {
            "type": "http",
            "path": path or "/api/v1/me",
            "client": (peer, 1),
            "headers": headers,
            "method": "GET",
        }
        answers: list[int] = []

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                answers.append(message["status"])

        async def receive() -> Any:
            return {"type": "http.request", "body": b""}

        asyncio.run(self.limit(scope, receive, send))
        return answers[0]


def test_guessing_with_a_new_token_each_time_is_limited_by_the_address() -> None:
    knocker = Knocker(60)
    assert knocker.call("good", told="203.0.113.7") == 200
    guesses = [knocker.call(f"guess {number}", told="203.0.113.7") for number in range(100)]
    assert (guesses.count(401), guesses[-1]) == (60, 429)
    assert knocker.call("good", told="203.0.113.7") == 200
    assert knocker.call("guess", told="203.0.113.8") == 401


def test_a_made_up_token_is_no_caller_of_its_own_where_nobody_need_sign_in() -> None:
    knocker = Knocker(10)
    calls = [knocker.call(f"made up {number}", path="/open") for number in range(30)]
    assert calls.count(200) == 10
    assert knocker.call("good", told="203.0.113.7") == 200
    repeated = [knocker.call("made up 1", path="/open", told="203.0.113.8") for _ in range(11)]
    assert repeated[-1] == 429


def test_valid_tokens_behind_one_address_do_not_use_up_its_calls() -> None:
    knocker = Knocker(10)
    assert [knocker.call("good") for _ in range(10)] == [200] * 10
    assert knocker.call("good") == 429
    assert knocker.call("guess") == 401


def test_behind_a_proxy_one_address_does_not_use_up_the_calls_of_others() -> None:
    knocker = Knocker(10)
    assert [knocker.call(told="203.0.113.7") for _ in range(11)][-1] == 429
    assert knocker.call(told="203.0.113.8") == 200
    assert [knocker.call(peer="203.0.113.9", told=f"1.1.1.{n}") for n in range(11)][-1] == 429


@pytest.mark.parametrize("path", ["/open", "/auth/campus", "/auth/campus/callback"])
def test_ways_in_are_counted_too(path: str) -> None:
    knocker = Knocker(10)
    assert [knocker.call(path=path) for _ in range(11)][-1] == 429
