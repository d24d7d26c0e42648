"""`as_of` says until when a state is known to hold."""

from __future__ import annotations

from support.scene import new_scene
from support.service import RunningService


def test_what_an_agent_last_said_holds_as_of_its_last_call(service: RunningService) -> None:
    scene = new_scene(service)
    task, attempt = scene.taken()
    scene.tell("started", task, attempt, run=1)
    seen = scene.client.get(f"/endpoints/{scene.name}")["last_seen"]
    shown = scene.task(task)
    assert shown["as_of"] >= seen
    [listed] = scene.client.get(f"/tasks?endpoint={scene.name}")["items"]
    assert listed["as_of"] >= seen


def test_an_ended_task_is_as_of_its_end(service: RunningService) -> None:
    scene = new_scene(service)
    task, attempt = scene.taken()
    scene.tell("exited", task, attempt, run=1, exit_code=0)
    ended = scene.task(task)
    scene.agent.commands()
    assert scene.task(task)["as_of"] == ended["as_of"]
