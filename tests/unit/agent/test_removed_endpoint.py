"""The agent of a removed endpoint does not ask for ever; one refusal, or a service that is down, ends nothing."""

from __future__ import annotations

import threading

import pytest

from diamond.agent.link import session
from diamond.agent.link.carriers import Declined, LinkDown
from diamond.agent.link.session import Caller, Hooks

UNKNOWN_KEY = Declined(401, "not-signed-in", "Not signed in")


class Link:
    """Answers with these, one after the other; then the agent is stopped."""

    def __init__(self, answers: list[Exception | None]) -> None:
        self.answers, self.calls = answers, 0
        self.stopping, self.closed = threading.Event(), False
        self.hooks = Hooks(
            stopping=self.stopping,
            generation=lambda: 1,
            is_greeting=lambda: False,
            stale=lambda _reason: None,
            closed=self.close,
            failed=lambda: None,
        )

    def close(self) -> None:
        self.closed = True

    def call(self) -> None:
        self.calls += 1
        if self.calls == len(self.answers):
            self.stopping.set()
        answer = self.answers[self.calls - 1]
        if answer is not None:
            raise answer


def test_a_key_that_stays_unknown_closes_the_link(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "REFUSED_SECONDS", 0.0)
    link = Link([UNKNOWN_KEY] * 9)
    Caller("commands", link.call, link.hooks).run()
    assert link.closed and link.calls == 2


@pytest.mark.parametrize(
    "between", [None, LinkDown("down"), Declined(500, "internal", "The service failed")]
)
def test_one_refusal_ends_nothing(
    between: Exception | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "REFUSED_SECONDS", 3600.0)
    link = Link([UNKNOWN_KEY, between, UNKNOWN_KEY])
    Caller("commands", link.call, link.hooks).run()
    assert not link.closed and link.calls == 3
