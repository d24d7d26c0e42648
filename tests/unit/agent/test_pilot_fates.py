"""How the allocation of an execution ended, as the agent knows its pilots."""

from __future__ import annotations

from pathlib import Path

from diamond.agent.tasks.folders import AttemptFolder
from diamond.agent.tasks.machine.state import AttemptPhase, AttemptState
from diamond.agent.tasks.pilots import KnownPilots


class Loaded:
    def __init__(self, *states: AttemptState) -> None:
        self.states = list(states)

    def of_task(self, task: str) -> list[AttemptState]:
        return self.states

    def folder(self, state: AttemptState) -> AttemptFolder:
        raise NotImplementedError


def test_a_pilot_whose_submission_is_not_answered_has_lost_nothing(tmp_path: Path) -> None:
    waiting = AttemptState("tpilot", "a1", phase=AttemptPhase.STAGING)
    loaded = Loaded(waiting)
    pilots = KnownPilots(tmp_path, lambda: loaded)
    assert pilots.fate("tpilot", "7") is None, "its job may run already"
    loaded.states = [AttemptState("tpilot", "a1", phase=AttemptPhase.SUBMITTED, native_id="8")]
    fate = pilots.fate("tpilot", "7")
    assert fate is not None and fate.reason.value == "node-lost"
