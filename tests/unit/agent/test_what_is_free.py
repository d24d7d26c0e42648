"""What is free at a site is asked now and then, also while nothing runs, and never more often than that."""

from __future__ import annotations

import json
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from diamond.agent.folders import Folders
from diamond.agent.guard.ledger import Ledger
from diamond.agent.guard.policy import Policy
from diamond.agent.site.housekeeping import IDLE_FREE_SECONDS, Housekeeping
from diamond.agent.site.profile import SiteProfile

FACT = {"value": {"gpu": {"nodes_idle": 3}}, "source": "sinfo", "at": 5.0}


class Resting:
    """Housekeeping with nothing but its folders, and a site that answers; `busy` while attempts are watched."""

    def __init__(self, folder: Path) -> None:
        self.folders = Folders(folder, folder / "work", folder / "tmp")
        self.busy, self.questions = False, 0
        unused: Any = None
        policy = Policy(folder)
        self.housekeeping = Housekeeping(
            scheduler=unused,
            folders=self.folders,
            link=unused,
            profile=SiteProfile(self.folders, policy, Ledger(folder, policy)),
            run_directories=unused,
            free=self.free,
            is_idle=lambda: not self.busy,
        )

    def free(self) -> dict[str, Any]:
        self.questions += 1
        return FACT

    def look(self) -> int:
        """How often the site has been asked after one round more."""
        self.housekeeping._refresh_free()
        return self.questions


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    at = {"now": 1000.0}
    its_own = SimpleNamespace(monotonic=lambda: at["now"], time=time.time)
    monkeypatch.setattr("diamond.agent.site.housekeeping.time", its_own)
    return at


def test_an_idle_agent_asks_every_five_minutes(tmp_path: Path, clock: dict[str, float]) -> None:
    agent = Resting(tmp_path)
    assert agent.look() == 0
    clock["now"] += 299.0
    assert agent.look() == 0
    clock["now"] += 1.0
    assert agent.look() == 1
    clock["now"] += 15.0
    assert agent.look() == 1
    clock["now"] += 285.0
    assert agent.look() == 2


def test_what_it_hears_stands_in_the_profile_with_its_time(
    tmp_path: Path, clock: dict[str, float]
) -> None:
    agent = Resting(tmp_path)
    agent.look()
    clock["now"] += IDLE_FREE_SECONDS
    agent.look()
    assert json.loads(agent.folders.profile.read_text())["facts"]["free"] == FACT


def test_while_attempts_run_only_the_budget_of_questions_holds_it_back(
    tmp_path: Path, clock: dict[str, float]
) -> None:
    agent = Resting(tmp_path)
    agent.busy = True
    assert agent.look() == 1


def test_when_the_last_attempt_has_ended_it_asks_once_more(
    tmp_path: Path, clock: dict[str, float]
) -> None:
    """Else an idle machine reads as full for minutes."""
    agent = Resting(tmp_path)
    agent.busy = True
    agent.look()
    agent.busy = False
    clock["now"] += 15.0
    assert agent.look() == 2
    clock["now"] += 15.0
    assert agent.look() == 2


def test_room_is_looked_at_again_while_an_agent_lives_on(
    tmp_path: Path, clock: dict[str, float]
) -> None:
    agent = Resting(tmp_path)
    agent.housekeeping._look_again()
    folders = json.loads(agent.folders.profile.read_text())["facts"]["folders"]
    assert folders["value"]["keep"]["free_bytes"] > 0
    assert agent.housekeeping._probes.get_nowait() is False, (
        "a profile older than a day is probed again"
    )
