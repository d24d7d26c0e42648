"""A failed task says why, and runs again with the change that is offered."""

from __future__ import annotations

from typing import Any

import pytest

from support.people import add_person
from support.scene import Scene, new_scene
from support.service import RunningService


@pytest.fixture
def scene(service: RunningService) -> Scene:
    return new_scene(service)


def failed(scene: Scene, line: str, **spec: Any) -> str:
    task, attempt = scene.taken(**spec)
    scene.tell("started", task, attempt, run=1, node="n1")
    part = {"task": task, "attempt": attempt, "run": 1, "rank": 0, "offset": 0}
    scene.agent.bytes(({**part, "stream": "stdout"}, b"step 1\n"))
    scene.agent.bytes(({**part, "stream": "stderr"}, b"Traceback:\n" + line.encode() + b"\n"))
    scene.tell("exited", task, attempt, run=1, exit_code=1)
    scene.tell("observed", task, attempt, status="ended", exit_code=1)
    assert scene.task(task)["state"] == "failed"
    return task


def test_a_missing_package_is_added_and_the_task_runs_again(scene: Scene) -> None:
    task = failed(scene, "ModuleNotFoundError: No module named 'torch'")
    shown = scene.client.get(f"/tasks/{task}/diagnosis")
    assert shown["cause"] == "missing-package"
    assert "`torch` is not installed" in shown["title"]
    assert shown["line"] == "ModuleNotFoundError: No module named 'torch'"
    assert shown["fix"]["changes"] == {"environment.requirements": ["torch"]}
    new = scene.client.post(f"/tasks/{task}/fix")
    assert new["id"] != task
    order = scene.task(new["id"])["order"]
    assert order["environment"]["requirements"] == ["torch"]
    assert order["command"] == "true" and new["endpoint"] == scene.name
    assert new["id"] in {each["task"] for each in scene.agent.commands(wait=5)["commands"]}


def test_one_key_runs_it_again_once(scene: Scene) -> None:
    task = failed(scene, "ModuleNotFoundError: No module named 'torch'")
    key = {"Idempotency-Key": "fix-once"}
    made = [scene.client.call("POST", f"/tasks/{task}/fix", {}, key).json["id"] for _ in range(2)]
    assert made[0] == made[1]


def test_an_error_that_only_its_author_understands_has_no_fix(scene: Scene) -> None:
    task = failed(scene, "ValueError: the loss is nan")
    shown = scene.client.get(f"/tasks/{task}/diagnosis")
    assert (shown["cause"], shown["fix"]) == ("", None)
    refused = scene.client.call("POST", f"/tasks/{task}/fix")
    assert (refused.status, refused.json["code"]) == (409, "no-fix")


def test_a_task_that_has_not_failed_has_no_diagnosis(scene: Scene) -> None:
    task, _ = scene.taken()
    assert scene.client.get(f"/tasks/{task}/diagnosis")["cause"] == ""


def test_a_change_that_the_site_would_reject_is_not_offered(scene: Scene) -> None:
    partition = {"name": "short", "default": True, "max_minutes": 90, "nodes": 1}
    facts = {"partitions": {"value": [partition]}}
    scene.agent.good("profile", {"probed_at": 1.0, "facts": facts})
    task, attempt = scene.taken(resources={"walltime": "1h"})
    scene.tell("started", task, attempt, run=1, node="n1")
    scene.tell("observed", task, attempt, status="ended", reason="wall-time")
    shown = scene.client.get(f"/tasks/{task}/diagnosis")
    assert shown["cause"] == "time-limit" and "left no checkpoint" in shown["hint"]
    assert shown["fix"] is None, "twice the time is over the limit of the partition"


def test_it_is_known_why_though_the_project_takes_no_more_work(scene: Scene) -> None:
    project = scene.client.post("/projects", {"name": f"closed-{scene.name}"})["id"]
    spec = {"name": "x", "run": "true", "on": scene.name}
    [task] = scene.client.post("/jobs", {"spec": spec, "project": project})["tasks"]
    part = {"task": task["id"], "attempt": task["attempt"], "run": 1, "rank": 0, "offset": 0}
    line = b"ModuleNotFoundError: No module named 'torch'\n"
    scene.tell("started", task["id"], task["attempt"], run=1, node="n1")
    scene.agent.bytes(({**part, "stream": "stderr"}, line))
    scene.tell("exited", task["id"], task["attempt"], run=1, exit_code=1)
    scene.tell("observed", task["id"], task["attempt"], status="ended", exit_code=1)
    assert scene.client.get(f"/tasks/{task['id']}/diagnosis")["fix"]
    scene.client.call("PATCH", f"/projects/{project}", {"archived": True})
    shown = scene.client.get(f"/tasks/{task['id']}/diagnosis")
    assert (shown["cause"], shown["fix"]) == ("missing-package", None)


def test_a_viewer_learns_why_but_runs_nothing(scene: Scene) -> None:
    task = failed(scene, "ModuleNotFoundError: No module named 'torch'")
    bob_id, bob = add_person(scene.service, "bob")
    whom = {"with_kind": "person", "with_id": bob_id}
    scene.client.post(f"/jobs/{scene.task(task)['job']}/shares", whom)
    shown = bob.get(f"/tasks/{task}/diagnosis")
    assert shown["cause"] == "missing-package" and shown["fix"] is None
    assert bob.call("POST", f"/tasks/{task}/fix").status in (403, 404)
    _, eve = add_person(scene.service, "eve")
    assert eve.call("GET", f"/tasks/{task}/diagnosis").status == 404
