"""What a pilot's program decides when nodes, allocations and requests come and go."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from diamond.pilots import program
from diamond.pilots.engine import Event, Launch, NodeDown, NodeUp, Over
from diamond.pilots.journal import (
    CANCELLED,
    NODE_LOST,
    Claimed,
    Closed,
    Ended,
    Entry,
    Node,
    Opened,
    Returned,
    Share,
    entry_line,
    read_entry,
)
from diamond.pilots.json_lines import Appender, Tail
from diamond.pilots.program import PilotProgram, Surroundings
from diamond.pilots.requests import Close, Execution, Request, Run, request_line
from diamond.pilots.settings import PilotSettings


class ToldEngine:
    """Says what a test has it say, and keeps what it is asked."""

    def __init__(self) -> None:
        self.next: list[Event] = []
        self.started: list[str] = []
        self.killed: list[tuple[str, str]] = []

    def open(self) -> None:
        pass

    def start(self, launches: Sequence[Launch]) -> None:
        self.started += [launch.id for launch in launches]

    def kill(self, name: str, node: str, *, at_once: bool) -> None:
        self.killed.append((name, node))

    def take_back(self, name: str, node: str) -> None:
        pass

    def events(self, seconds: float) -> list[Event]:
        told, self.next = self.next, []
        return told

    def close(self) -> None:
        pass


class Scene:
    def __init__(self, folder: Path, *, nodes: int = 1) -> None:
        self.folder, self.engine = folder, ToldEngine()
        settings = PilotSettings(str(folder), str(folder), "tpilot", nodes=nodes, idle_seconds=300)
        surroundings = Surroundings("8", None, folder / "stop")
        self.pilot = PilotProgram(settings, surroundings, {})
        self.pilot._replay()

    def ask(self, *requests: Request) -> None:
        appender = Appender(str(self.folder / "requests.jsonl"))
        appender.write([request_line(each) for each in requests], durable=False)
        appender.close()

    def step(self, *events: Event) -> None:
        self.engine.next = list(events)
        self.pilot._looked_at = 0.0
        self.pilot._step(self.engine)
        self.pilot._write()

    @property
    def entries(self) -> list[Entry]:
        lines = Tail(str(self.folder / "journal.jsonl")).read()
        return [entry for _, line in lines if (entry := read_entry(line)) is not None]

    @property
    def ends(self) -> dict[str, str]:
        return {each.id: each.reason for each in self.entries if isinstance(each, Ended)}


def execution(name: str, *, nodes: int = 1) -> Run:
    return Run(Execution(name, "/x/script.sh", "/x", nodes=nodes))


def up(name: str) -> NodeUp:
    return NodeUp(Node(name, [0]))


def test_what_was_only_returned_is_started_in_the_next_allocation(tmp_path: Path) -> None:
    earlier = Appender(str(tmp_path / "journal.jsonl"))
    share = [Share("n1", [0])]
    written: list[Entry] = [
        Opened("7", at=1.0),
        Claimed("a1", "7", share, at=2.0),
        Claimed("a2", "7", share, at=2.0),
        Returned("a2", at=3.0),
        Closed(0, continues=True, at=4.0),
    ]
    earlier.write([entry_line(each) for each in written], durable=False)
    earlier.close()
    scene = Scene(tmp_path)
    scene.ask(execution("a1"), execution("a2"))
    scene.step(up("n1"))
    scene.step()
    assert scene.engine.started == ["a2"], "a1 was claimed, and is never started again"


def test_what_has_lost_a_further_node_is_ended_on_its_first_before_it_is_said_to_be_lost(
    tmp_path: Path,
) -> None:
    scene = Scene(tmp_path, nodes=2)
    scene.ask(execution("a1", nodes=2))
    scene.step(up("n1"), up("n2"))
    scene.step(NodeDown("n2"))
    assert scene.engine.killed == [("a1", "n1")] and not scene.ends, "it runs on n1"
    scene.ask(execution("a2"))
    scene.step()
    assert scene.engine.started == ["a1"], "the core of n1 is not free yet"
    scene.step(Over("a1", -15, CANCELLED, at=9.0))
    scene.step()
    assert scene.ends == {"a1": NODE_LOST} and scene.engine.started == ["a1", "a2"]


def test_a_start_that_reached_a_node_that_came_back_is_ended_there(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.ask(execution("a1"))
    scene.step(up("n1"))
    scene.step(NodeDown("n1"), up("n1"))
    assert scene.ends == {"a1": NODE_LOST} and scene.engine.killed == [("a1", "n1")]


def test_a_wide_execution_waits_for_a_node_that_comes_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "LATE_NODE_SECONDS", -1.0)
    scene = Scene(tmp_path, nodes=2)
    scene.ask(execution("a1", nodes=2))
    scene.step(up("n1"))
    scene.step()
    assert not scene.ends
    scene.step(up("n2"))
    scene.step()
    assert scene.engine.started == ["a1"]


def test_a_pilot_that_was_asked_to_close_continues_in_no_other_allocation(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.ask(Close(), execution("a1"))
    scene.step(up("n1"))
    (tmp_path / "stop").touch()
    assert scene.pilot._leave(scene.engine) == program.DONE
    last = scene.entries[-1]
    assert isinstance(last, Closed) and not last.continues


def test_a_pilot_that_is_ended_after_its_stop_flag_continues_with_what_ran(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "ENDING_SECONDS", 0.0)
    scene = Scene(tmp_path)
    scene.ask(execution("a1"))
    scene.step(up("n1"))
    scene.step()
    (tmp_path / "stop").touch()
    scene.pilot.asked_to_end(15, None)
    assert scene.pilot._leave(scene.engine) == program.CONTINUE


def test_a_pilot_whose_nodes_are_lost_for_good_does_not_wait_until_its_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "OPEN_SECONDS", 0.0)
    scene = Scene(tmp_path, nodes=2)
    scene.step(up("n1"), up("n2"))
    scene.step(NodeDown("n2"))
    scene.ask(execution("a1", nodes=2))
    scene.step()
    assert scene.pilot._is_over(), "it is tried in another pilot"
    scene.step(up("n2"))
    scene.step()
    assert scene.engine.started == ["a1"] and not scene.pilot._is_over()
