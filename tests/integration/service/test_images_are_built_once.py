"""One build for all who ask for the same, and tasks that wait for it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from support.image_scene import (
    ENVIRONMENT,
    BuildReporter,
    built,
    record_of,
    start_build,
    take_commands,
)
from support.scene import Scene, new_scene
from support.service import RunningService

PLAN = {
    "event": "plan",
    "identity": "sha256:" + "a" * 64,
    "runtime": "apptainer",
    "route": "overlay",
    "definition": "Bootstrap: docker",
    "steps": [
        {"name": n, "title": n, "key": n} for n in ("base", "command-1", "command-2", "pack")
    ],
}


@pytest.fixture
def scene(service: RunningService) -> Scene:
    return new_scene(service)


def builds_of(scene: Scene) -> list[dict[str, Any]]:
    items = scene.client.get(f"/tasks?kind=build&endpoint={scene.name}")["items"]
    return list(items)


def test_twenty_tasks_that_ask_at_once_start_one_build(scene: Scene) -> None:
    environment = {**ENVIRONMENT, "labels": {"of": scene.name}}
    with ThreadPoolExecutor(20) as pool:
        tasks = list(pool.map(lambda _: scene.submit(environment=environment), range(20)))
    (build,) = builds_of(scene)
    assert {task["awaits"] for task in tasks} == {build["id"]}
    assert {task["phase"] for task in tasks} == {"building"}
    sent = take_commands(scene)
    assert [(one["type"], one["task"]) for one in sent] == [("submit", build["id"])]

    record = record_of(1)
    BuildReporter(scene, build).succeeds(record, environment)
    released = take_commands(scene)
    assert {one["task"] for one in released} == {task["id"] for task in tasks}
    orders = [one["task_json"]["order"]["image"] for one in released]
    assert all(one["sha256"] == record["sha256"] for one in orders)
    image = scene.client.get(f"/images/{record['identity']}")
    assert (image["uses"], image["in_use"]) == (20, 20)


def test_the_same_environment_again_needs_no_build(scene: Scene) -> None:
    environment = {**ENVIRONMENT, "test": f"echo {scene.name}"}
    image = built(scene, f"again-{scene.name}", 2, environment)
    answer = start_build(scene, environment)
    assert answer["build"] is None and answer["image"]["id"] == image["id"]
    task = scene.submit(environment=environment)
    assert task["awaits"] is None
    assert len(builds_of(scene)) == 1
    assert start_build(scene, environment, upgrade=True)["build"]


def test_a_build_that_fails_ends_the_tasks_that_wait_for_it(scene: Scene) -> None:
    environment = {**ENVIRONMENT, "test": f"echo {scene.name}"}
    task = scene.submit(environment=environment)
    (build,) = builds_of(scene)
    take_commands(scene)
    failed = {
        "event": "failed",
        "step": "command-2",
        "exit_code": 3,
        "last_lines": ["no such thing"],
        "cause": "command-failed",
        "message": "It ended with 3",
        "hint": "Try",
        "shell": ["sh"],
    }
    BuildReporter(scene, build).fails(PLAN, {"event": "cached", "step": "command-1"}, failed)
    ended = scene.task(task["id"])
    assert (ended["state"], ended["reason"]) == ("failed", "environment")
    assert build["id"] in ended["message"]

    shown = scene.client.get(f"/images/builds/{build['id']}")
    assert [one["state"] for one in shown["steps"]] == ["waiting", "cached", "failed", "waiting"]
    assert shown["failure"]["message"] == "It ended with 3"
    assert shown["steps"][2]["editable"] == "echo two"

    edits = {"edits": {"command-2": "echo 'mended'"}}
    resumed = scene.client.post(f"/images/builds/{build['id']}/resume", edits)["build"]
    assert resumed["resumed_from"] == build["id"]
    assert resumed["environment"]["commands"] == ["echo one", "echo 'mended'"]

    again = scene.client.post(f"/tasks/{task['id']}/retry")
    assert again["awaits"] not in (None, build["id"], resumed["task"]["id"])


def test_a_task_that_waits_for_its_image_is_cancelled_at_once(scene: Scene) -> None:
    environment = {**ENVIRONMENT, "test": f"echo {scene.name}"}
    task = scene.submit(environment=environment)
    assert scene.client.post(f"/tasks/{task['id']}/cancel")["state"] == "cancelled"
    (build,) = builds_of(scene)
    take_commands(scene)
    BuildReporter(scene, build).succeeds(record_of(3), environment)
    assert take_commands(scene) == []


def test_an_agent_is_not_asked_about_a_task_that_it_cannot_know(scene: Scene) -> None:
    task = scene.submit(environment={**ENVIRONMENT, "test": f"echo {scene.name}"})
    told = scene.agent.hello()["open_tasks"]
    assert task["id"] not in {one["task"] for one in told}


def test_an_unknown_image_is_answered_with_the_known_ones(scene: Scene) -> None:
    built(scene, f"torch-{scene.name}", 4, {**ENVIRONMENT, "test": scene.name})
    spec = {"name": "j", "run": "true", "on": scene.name, "environment": f"torhc-{scene.name}"}
    answer = scene.client.call("POST", "/jobs", {"spec": spec})
    assert answer.status == 422
    assert f"Did you mean torch-{scene.name}?" in answer.json["faults"][0]["hint"]


def test_a_failed_build_is_failed_at_once_and_can_be_resumed(scene: Scene) -> None:
    """Its job leaves the batch system a minute later; until then nothing says that it is running."""
    environment = {**ENVIRONMENT, "test": f"echo {scene.name}"}
    build = start_build(scene, environment)["build"]["task"]
    reporter = BuildReporter(scene, build)
    take_commands(scene)
    reporter.starts()
    path = f"/images/builds/{build['id']}"
    early = scene.client.call("POST", f"{path}/resume", {})
    assert (early.status, "still running" in early.body.decode()) == (409, True)
    failed = {"event": "failed", "step": "command-2", "exit_code": 3, "message": "no such program"}
    reporter.steps(PLAN, {"event": "started", "step": "command-2", "at": 1.0}, failed)
    shown = scene.client.get(path)
    assert (shown["task"]["state"], shown["task"]["message"]) == ("failed", "no such program")
    again = scene.client.post(f"{path}/resume", {})["build"]
    assert again["task"]["id"] != build["id"] and again["resumed_from"] == build["id"]
