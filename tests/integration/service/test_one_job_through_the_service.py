from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from diamond.core.protocol import OLDEST, VERSION
from support.scene import Scene, new_scene
from support.service import RunningService
from support.waiting import PATIENCE

HELD = 25


@pytest.fixture
def scene(service: RunningService) -> Scene:
    return new_scene(service)


def test_a_job_goes_to_the_agent_and_its_end_comes_back(scene: Scene) -> None:
    task, attempt = scene.taken()
    assert scene.task(task)["state"] == "preparing"
    scene.tell("submitted", task, attempt, native_id="77")
    scene.tell("started", task, attempt, run=1, native_id="77", node="n1")
    running = scene.task(task)
    assert (running["state"], running["node"], running["native_id"]) == ("running", "n1", "77")
    scene.tell("exited", task, attempt, run=1, exit_code=0)
    done = scene.task(task)
    assert (done["state"], done["exit_code"]) == ("succeeded", 0)
    assert done["ended"] >= done["started"]
    assert done["run_dir"] == f"/w/tasks/{task}"
    assert done["attempts"][0]["runs"][0]["exit_code"] == 0


@pytest.mark.parametrize("ahead", [True, False])
def test_an_agent_of_a_neighbouring_minor_version_gets_work_and_is_understood(
    scene: Scene, ahead: bool
) -> None:
    newer = {"from_a_newer_version": {"a": [1]}} if ahead else {}
    protocol = VERSION + 1 if ahead else OLDEST
    scene.agent.hello(agent_version="0.2.0", protocol=protocol, folders={"work": "/w"}, **newer)
    assert scene.client.get(f"/endpoints/{scene.name}")["outdated"] == ""
    task, attempt = scene.taken()
    scene.tell("mood", task, attempt)
    scene.tell("started", task, attempt, run=1, **newer)
    scene.tell("exited", task, attempt, run=1, exit_code=0)
    assert scene.task(task)["state"] == "succeeded"


def test_the_submit_command_carries_the_task_file(scene: Scene) -> None:
    task = scene.submit(name="digits")
    command = scene.agent.commands(wait=5)["commands"][0]
    assert (command["type"], command["number"]) == ("submit", 1)
    assert command["attempt"] == task["attempt"]
    assert command["task_json"]["order"]["name"] == "digits"
    assert command["task_json"]["version"] == 1


def test_a_waiting_agent_gets_a_new_command_at_once(scene: Scene) -> None:
    arrived: list[float] = []

    def hold() -> None:
        while not scene.agent.commands(wait=HELD)["commands"]:
            pass
        arrived.append(time.monotonic())

    waiting = threading.Thread(target=hold)
    waiting.start()
    scene.client.get("/me")
    sent = time.monotonic()
    scene.submit()
    waiting.join(PATIENCE)
    assert arrived[0] - sent < HELD / 2


def test_a_command_is_repeated_to_the_next_agent_until_it_is_done(scene: Scene) -> None:
    scene.submit()
    first = scene.agent.commands()["commands"]
    assert scene.agent.commands()["commands"] == []
    scene.agent.hello()
    again = scene.agent.commands()["commands"]
    assert [one["id"] for one in again] == [one["id"] for one in first]
    scene.agent.commands(done=[again[0]["id"]])
    scene.agent.hello()
    assert scene.agent.commands()["commands"] == []


def test_an_older_agent_is_fenced_off_also_while_it_waits(scene: Scene) -> None:
    answers: list[Any] = []
    older = scene.agent.generation

    def hold() -> None:
        body = {"done": [], "wait": 20, "now": time.time()}
        answers.append(scene.agent.call("commands", body))

    waiting = threading.Thread(target=hold)
    waiting.start()
    newer = new_agent_of(scene)
    waiting.join(PATIENCE)
    assert (answers[0].status, answers[0].json["code"]) == (409, "generation-stale")
    assert newer.generation > older


def new_agent_of(scene: Scene) -> Any:
    from support.scripted_agent import ScriptedAgent

    agent = ScriptedAgent(scene.agent.url, scene.agent.key, epoch="e2")
    agent.hello()
    return agent


def test_events_that_come_twice_or_late_change_nothing(scene: Scene) -> None:
    task, attempt = scene.taken()
    exited = {
        "n": 1,
        "type": "exited",
        "task": task,
        "attempt": attempt,
        "run": 1,
        "exit_code": 0,
        "at": time.time(),
    }
    for _ in range(2):
        told = {"epoch": "e1", "now": time.time(), "events": [exited]}
        assert scene.agent.good("events", told)["have"] == 1
    scene.agent.numbers = 1
    scene.tell("started", task, attempt, run=1, native_id="1", node="n")
    assert scene.task(task)["state"] == "succeeded"
    kinds = [line["type"] for line in scene.client.get(f"/tasks/{task}/history")["items"]]
    assert kinds == ["created", "exited", "started"]


def test_what_an_agent_tells_again_at_a_reconnect_stands_once_in_the_history(scene: Scene) -> None:
    task, attempt = scene.taken()
    facts: list[tuple[str, dict[str, Any]]] = [
        ("submitted", {"native_id": "7"}),
        ("started", {"run": 1, "native_id": "7", "node": "n1"}),
        ("note", {"message": "a duplicate was turned away", "code": "duplicate"}),
    ]
    for _ in range(3):
        for kind, fields in facts:
            scene.tell(kind, task, attempt, **fields)
    lines = scene.client.get(f"/tasks/{task}/history")["items"]
    assert [line["type"] for line in lines] == ["created", "submitted", "started", "note"]
    assert [line["n"] for line in lines] == [1, 2, 3, 4]
    for _ in range(2):
        scene.tell("exited", task, attempt, run=1, exit_code=0)
        scene.tell("started", task, attempt, run=1, native_id="7", node="n1")
    lines = scene.client.get(f"/tasks/{task}/history")["items"]
    assert [line["type"] for line in lines[4:]] == ["exited"]


def test_after_a_gap_nothing_is_taken_until_the_agent_has_said_hello(scene: Scene) -> None:
    task, attempt = scene.taken()
    scene.tell("submitted", task, attempt, native_id="7")
    scene.agent.numbers = 5
    assert scene.tell("started", task, attempt, run=1) == {"have": 1, "unknown_tasks": []}
    assert scene.task(task)["state"] == "pending"
    assert scene.agent.hello(confirmed=5)["restored"]
    scene.agent.numbers = 5
    assert scene.tell("started", task, attempt, run=1)["have"] == 6
    assert scene.task(task)["state"] == "running"


def test_a_program_that_asks_to_continue_gets_its_next_attempt(scene: Scene) -> None:
    task, attempt = scene.taken()
    scene.tell("started", task, attempt, run=1, native_id="5", node="n")
    scene.tell("exited", task, attempt, run=1, exit_code=75)
    scene.tell("observed", task, attempt, status="ended", native_state="FAILED", exit_code=75)
    waiting = scene.task(task)
    assert (waiting["state"], waiting["phase"]) == ("pending", "between-attempts")
    command = scene.agent.commands(wait=5)["commands"][0]
    assert (command["type"], command["number"]) == ("submit", 2)
    assert command["attempt"] == waiting["attempt"] != attempt
    assert [one["number"] for one in waiting["attempts"]] == [1, 2]
    assert waiting["attempts"][0]["reason"] == "exit-code"


def test_the_agent_is_told_which_ends_are_recorded(scene: Scene) -> None:
    task, attempt = scene.taken()
    scene.tell("exited", task, attempt, run=1, exit_code=0)
    assert scene.agent.commands()["closed"] == [task]
    assert scene.agent.commands()["closed"] == []
    scene.tell("exited", task, attempt, run=1, exit_code=0)
    assert scene.agent.commands()["closed"] == [task]


def test_hello_names_the_open_tasks(scene: Scene) -> None:
    task, attempt = scene.taken()
    told = scene.agent.hello()
    assert told["open_tasks"] == [{"task": task, "attempt": attempt, "number": 1}]


def test_clocks_an_hour_apart_do_not_move_times(scene: Scene) -> None:
    task, attempt = scene.taken()
    scene.agent.clock_off = -3600.0
    scene.tell("started", task, attempt, run=1, native_id="5", node="n")
    assert abs(scene.task(task)["started"] - time.time()) < 30


def test_text_that_a_database_would_refuse_does_not_stop_the_events(scene: Scene) -> None:
    task, attempt = scene.taken()
    scene.tell("note", task, attempt, message="a\x00b \ud800", code="x")
    lines = scene.client.get(f"/tasks/{task}/history")["items"]
    assert lines[-1]["message"] == "ab ?"


def test_a_task_of_another_endpoint_is_out_of_reach(service: RunningService, scene: Scene) -> None:
    task, attempt = scene.taken()
    stranger = new_scene(service)
    stranger.tell("exited", task, attempt, run=1, exit_code=0)
    assert scene.task(task)["state"] == "preparing"


def test_a_restored_service_takes_tasks_back_from_the_machine(scene: Scene) -> None:
    told = scene.tell("started", "tlost2345678a", "alost2345678a", run=1)
    assert told["unknown_tasks"] == ["tlost2345678a"]
    order = scene.submit()["order"]
    facts = {
        "version": 1,
        "task": "tlost2345678a",
        "job": "jlost2345678a",
        "name": "lost",
        "kind": "run",
        "owner": "whoever",
        "order": order,
        "created": time.time() - 60,
        "signature": {"signature": "hers", "until": 1.0},
    }
    attempts = [{"attempt": "alost2345678a", "number": 1}]
    scene.agent.good("adopt", {"task_json": facts, "attempts": attempts})
    scene.agent.good("adopt", {"task_json": facts, "attempts": attempts})
    scene.tell("started", "tlost2345678a", "alost2345678a", run=1, node="n1")
    task = scene.task("tlost2345678a")
    assert (task["state"], task["owner"]) == ("running", "local")
    scene.tell("exited", "tlost2345678a", "alost2345678a", run=1, exit_code=75)
    commands = scene.agent.commands(wait=5)["commands"]
    second = next(one for one in commands if one["task"] == "tlost2345678a")
    assert second["task_json"]["signature"] == facts["signature"]
