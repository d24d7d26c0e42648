"""In a burst the commands of a moment go out together; a single one never waits."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from diamond.service.platform import presence
from diamond.service.platform.presence import GATHER_SECONDS, Presence


def test_only_commands_right_after_others_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    clock = SimpleNamespace(monotonic=lambda: now[0], time=lambda: now[0])
    monkeypatch.setattr(presence, "time", clock)
    known = Presence()
    assert known.seconds_to_gather("e1") == 0
    known.handed_over("e1")
    assert known.seconds_to_gather("e1") == pytest.approx(GATHER_SECONDS)
    assert known.seconds_to_gather("e2") == 0
    now[0] += GATHER_SECONDS / 2
    assert known.seconds_to_gather("e1") == pytest.approx(GATHER_SECONDS / 2)
    now[0] += 1
    assert known.seconds_to_gather("e1") == 0
