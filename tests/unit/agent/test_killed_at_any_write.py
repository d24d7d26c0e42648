"""An agent that is killed at any write of a chain's life is followed by one that decides the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from diamond.agent import disk
from diamond.core.native import NativeStatus
from support.agent_chain import Chain

Life = list[Callable[[], None]]
CLAIM = b"diamond\n"
"""Not cut here: between `mkdir claim` and its owner's name, a claim looks like that of a job which is just writing its own."""


class Killed(BaseException):
    """Nobody catches it, as nobody can catch kill -9."""


class Knife:
    """Kills at the given write; 0: never. Counts the writes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, at: int) -> None:
        self.at, self.writes, self._write = at, 0, disk._write_all
        monkeypatch.setattr(disk, "_write_all", self.write)

    def write(self, descriptor: int, content: bytes) -> None:
        if content == CLAIM:
            self._write(descriptor, content)
            return
        self.writes += 1
        if self.writes == self.at:
            self._write(descriptor, content[: len(content) // 2])
            raise Killed
        self._write(descriptor, content)


def submits(chain: Chain, number: int) -> None:
    """The batch system has it, whether the agent lives to know that or not."""
    folder = chain.attempt(number)
    if not folder.native_id and not folder.is_cancelled:
        folder.write_native(str(number), scheduler="slurm", at=1.0)
        chain.queued(number)


def hand_over(chain: Chain) -> Life:
    """The second gets its nodes early, the first hands over to it, and it finishes the work."""

    def second_begins() -> None:
        assert chain.attempt(1).verdict == "go"
        chain.runs(2)

    return [
        lambda: submits(chain, 1),
        lambda: chain.runs(1),
        lambda: chain.saves_for_a_while(1),
        lambda: chain.attempts.chains.look(),
        lambda: submits(chain, 2),
        lambda: chain.arrives(2),
        lambda: chain.asks_to_continue(1),
        second_begins,
        lambda: chain.exits(2, 0),
    ]


def overtaken(chain: Chain) -> Life:
    """Two wait; the later one gets nodes when nothing runs any more, and the earlier one can never begin."""
    return [
        lambda: chain.lines_up(until=9),
        lambda: submits(chain, 1),
        lambda: submits(chain, 2),
        lambda: submits(chain, 3),
        lambda: chain.asks_to_continue(1),
        lambda: chain.arrives(3),
        lambda: chain.runs(3),
        lambda: chain.attempts.chains.look(),
        lambda: chain.exits(3, 0),
    ]


def half_written_checkpoint(chain: Chain) -> Life:
    """The second attempt fails at once with the checkpoint of the first: the third gets another one."""
    failed = NativeStatus(status="ended", native_state="FAILED", reason="exit-code")
    return [
        lambda: submits(chain, 1),
        lambda: chain.runs(1),
        lambda: (chain.attempt(1).run_dir / "1.pt").touch(),
        lambda: chain.exits(1, 75),
        lambda: submits(chain, 2),
        lambda: chain.runs(2),
        lambda: chain.exits(2, 1),
        lambda: chain.hears(2, failed),
    ]


LIVES: dict[str, tuple[Callable[[Chain], Life], dict[str, object]]] = {
    "hand-over": (hand_over, {"ahead": 1}),
    "overtaken": (overtaken, {"ahead": True}),
    "doubted": (half_written_checkpoint, {"ahead": 0, "on": ["wall-time"], "pattern": "*.pt"}),
}


def live(folder: Path, name: str, knife: Knife) -> dict[int, tuple[str, bool, bool]]:
    """What the folders show in the end: by number its verdict, whether it was cancelled, and whether it was barred."""
    life, order = LIVES[name]
    folder.mkdir()
    chain = Chain(folder, **order)  # type: ignore[arg-type]
    for act in [
        each for fact in life(chain) for each in (fact, lambda: chain.attempts.chains.look())
    ]:
        try:
            act()
        except Killed:
            chain.restarts()
            act()
    return {
        each.number: (each.verdict, each.is_cancelled, each.is_barred)
        for each in chain.tasks.attempts("t1")
    }


@pytest.mark.parametrize("name", LIVES)
def test_a_new_agent_comes_to_the_same_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    undisturbed = Knife(monkeypatch, at=0)
    wanted = live(tmp_path / "0", name, undisturbed)
    assert undisturbed.writes > 10
    for at in range(4, undisturbed.writes + 1):
        monkeypatch.undo()
        assert live(tmp_path / str(at), name, Knife(monkeypatch, at)) == wanted, f"write {at}"
