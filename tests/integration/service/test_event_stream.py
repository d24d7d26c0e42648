from __future__ import annotations

import pytest

from support.scene import Scene, new_scene
from support.service import RunningService


@pytest.fixture
def scene(service: RunningService) -> Scene:
    return new_scene(service)


def log_part(task: str, attempt: str, offset: int) -> dict[str, object]:
    return {
        "task": task,
        "attempt": attempt,
        "run": 1,
        "rank": 0,
        "stream": "stdout",
        "offset": offset,
    }


def test_changes_of_tasks_come_as_they_happen(scene: Scene) -> None:
    events = scene.client.events()
    events.until("ready")
    task, attempt = scene.taken()
    assert events.until("task", id=task).data["state"] == "preparing"
    scene.tell("started", task, attempt, run=1, node="n1")
    assert events.until("task", id=task, state="running").data["node"] == "n1"
    scene.tell("note", task, attempt, message="hello", code="x")
    assert events.until("note", task=task).data["message"] == "hello"
    events.close()


def test_a_reader_goes_on_exactly_where_it_stopped(scene: Scene) -> None:
    task, attempt = scene.taken()
    events = scene.client.events(f"?watch={task}")
    last = events.until("ready").id
    scene.agent.bytes((log_part(task, attempt, 0), "first ü\n".encode()))
    seen = events.until("log")
    assert (seen.data["text"], seen.data["offset"], seen.data["length"]) == ("first ü\n", 0, 9)
    events.close()
    scene.agent.bytes((log_part(task, attempt, 9), b"second\n"))
    scene.tell("started", task, attempt, run=1, node="n1")
    again = scene.client.events(f"?watch={task}", last_id=seen.id)
    assert again.until("log").data["text"] == "second\n"
    again.until("task", id=task, state="running")
    again.close()
    whole = scene.client.events(f"?watch={task}", last_id=last)
    assert whole.until("log").data["text"] == "first ü\nsecond\n"
    whole.close()


def test_a_reader_from_beyond_the_end_hears_what_a_restored_service_does(scene: Scene) -> None:
    task, attempt = scene.taken()
    events = scene.client.events(last_id="999999999")
    assert events.until("task", id=task).data["state"] == "preparing"
    scene.tell("started", task, attempt, run=1, node="n1")
    events.until("task", id=task, state="running")
    events.close()


def test_a_character_that_comes_in_two_parts_is_not_torn(scene: Scene) -> None:
    task, attempt = scene.taken()
    events = scene.client.events(f"?watch={task}")
    events.until("ready")
    gem = "a💎".encode()
    scene.agent.bytes((log_part(task, attempt, 0), gem[:3]))
    assert events.until("log").data["text"] == "a"
    scene.agent.bytes((log_part(task, attempt, 3), gem[3:] + gem[:2]))
    assert events.until("log").data["text"] == "💎a"
    scene.tell("exited", task, attempt, run=1, exit_code=0)
    last = events.until("log").data
    assert (last["offset"], last["length"]) == (6, 1)
    events.close()


def test_metrics_of_watched_tasks_come_along(scene: Scene) -> None:
    task, attempt = scene.taken()
    events = scene.client.events(f"?watch={task}")
    events.until("ready")
    part = {**log_part(task, attempt, 0), "stream": "metrics"}
    scene.agent.bytes((part, b'{"step":3,"time":1.5,"loss":0.1}\n'))
    told = events.until("metric").data
    assert told == {
        "task": task,
        "points": [{"name": "loss", "step": 3, "time": 1.5, "value": 0.1}],
        "usage": False,
    }
    events.close()


def test_a_task_that_is_watched_later_begins_at_its_end(scene: Scene) -> None:
    """What it wrote before has its own calls, and may be very much."""
    task, attempt = scene.taken()
    scene.agent.bytes((log_part(task, attempt, 0), b"before\n"))
    position = scene.client.events().until("ready").id
    events = scene.client.events(f"?watch={task}&after={position}")
    events.until("ready")
    scene.agent.bytes((log_part(task, attempt, 7), b"after\n"))
    assert events.until("log").data["text"] == "after\n"
    events.close()


def test_what_a_task_wrote_is_told_of_when_it_comes_after_its_end(scene: Scene) -> None:
    task, attempt = scene.taken()
    scene.tell("started", task, attempt, run=1, node="n1")
    scene.tell("exited", task, attempt, run=1, exit_code=0)
    assert scene.task(task)["state"] == "succeeded"
    events = scene.client.events()
    events.until("ready")
    scene.agent.bytes((log_part(task, attempt, 0), b"the last words\n"))
    assert events.until("task").data["id"] == task
    events.close()


def test_an_endpoint_that_goes_away_is_told(scene: Scene) -> None:
    events = scene.client.events()
    events.until("ready")
    scene.client.post(f"/endpoints/{scene.name}/away")
    assert events.until("endpoint", name=scene.name).data["state"] == "offline"
    scene.agent.commands()
    assert events.until("endpoint", name=scene.name, state="online")
    events.close()


@pytest.mark.parametrize("after", ["garbage", "W10", "%00", "WzEsMiwzXQ", "-5"])
def test_a_garbage_position_is_refused_with_words(scene: Scene, after: str) -> None:
    answer = scene.client.call("GET", f"/events?after={after}")
    assert (answer.status, answer.json["code"]) == (400, "bad-request")


def test_watching_what_is_not_there_is_refused(scene: Scene) -> None:
    assert scene.client.call("GET", "/events?watch=tnothing").status == 404
