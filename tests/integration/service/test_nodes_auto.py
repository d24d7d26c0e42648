"""`nodes: auto`: probes tell how many, once; later jobs of the same kind use what they told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from support.probe_scene import ProbeRunner, tell_facts
from support.scene import Scene, new_scene
from support.service import RunningService
from support.waiting import wait_for


@pytest.fixture
def scene(service: RunningService) -> Scene:
    made = new_scene(service)
    tell_facts(made)
    return made


def ask(scene: Scene, **spec: Any) -> Any:
    whole = {"name": "net", "run": "python t.py {batch}", "params": {"batch": 64}, "on": scene.name}
    resources = {"nodes": "auto", "walltime": "2h"}
    return scene.client.post("/jobs", {"spec": {**whole, "resources": resources, **spec}})


def pace(order: Mapping[str, Any]) -> float:
    """Two nodes are worth it (91 %), four are not (63 %)."""
    return {1: 0.5, 2: 0.275, 4: 0.2}[int(order["resources"]["nodes"])]


def scale_of(scene: Scene, task: Mapping[str, Any]) -> str:
    return str(scene.client.get(f"/scales/{task['awaits']}")["id"])


def test_the_task_waits_in_its_own_phase_while_probes_find_out(scene: Scene) -> None:
    made = ask(scene)
    task = made["tasks"][0]
    assert (task["state"], task["phase"]) == ("preparing", "probing")
    assert "probes run first" in made["warnings"][0]
    runner = ProbeRunner(scene, pace)
    told = runner.until_over(scale_of(scene, task))
    assert (told["advice"]["nodes"], told["for_task"]) == (2, task["id"])
    runner.until(lambda: runner.submitted[-1]["task"] == task["id"], "the task itself")
    order = runner.submitted[-1]["order"]
    assert (order["resources"]["nodes"], order["command"]) == (2, "python t.py 32")
    shown = scene.task(task["id"])
    assert (shown["kind"], shown["awaits"], shown["order"]) == ("run", None, order)
    job = scene.client.get(f"/jobs/{task['job']}")
    assert job["spec"]["resources"]["nodes"] == 2


def test_a_later_job_of_the_same_kind_uses_what_was_told(scene: Scene) -> None:
    first = ask(scene)["tasks"][0]
    ProbeRunner(scene, pace).until_over(scale_of(scene, first))
    again = ask(scene)
    task = again["tasks"][0]
    assert (task["phase"], task["order"]["resources"]["nodes"]) == ("", 2)
    assert "nodes: auto is 2 nodes" in again["warnings"][0]
    other = ask(scene, params={"batch": 128})["tasks"][0]
    assert other["phase"] == "probing"
    scene.client.post(f"/tasks/{other['id']}/cancel")


def test_a_task_that_is_cancelled_takes_its_probes_along(scene: Scene) -> None:
    task = ask(scene)["tasks"][0]
    scale = scale_of(scene, task)
    assert scene.client.post(f"/tasks/{task['id']}/cancel")["state"] == "cancelled"
    told = ProbeRunner(scene, pace).until_over(scale)
    assert told["state"] == "cancelled"


def test_where_the_probes_tell_nothing_the_task_ends_and_says_so(scene: Scene) -> None:
    task = ask(scene)["tasks"][0]
    ProbeRunner(scene, lambda _: 0).until_over(scale_of(scene, task))
    ended = wait_for(lambda: scene.task(task["id"]), what="the end")
    assert (ended["state"], ended["reason"]) == ("failed", "probes")
    assert "No probe told a pace" in ended["message"]
    refused = scene.client.call("POST", f"/tasks/{task['id']}/retry", {})
    assert refused.status == 409


def test_what_the_probes_used_is_taken_from_the_budget(scene: Scene) -> None:
    task = ask(scene, budget="10 node-hours")["tasks"][0]
    runner = ProbeRunner(scene, pace)
    runner.until_over(scale_of(scene, task))
    order = scene.task(task["id"])["order"]
    left = float(order["budget"].split()[0])
    # The last probe may not have ended yet: it counts with its ten minutes on four nodes.
    assert 9.2 < left < 10


def test_a_check_says_where_the_number_would_come_from(scene: Scene) -> None:
    spec = {"run": "true", "on": scene.name, "resources": {"nodes": "auto"}}
    told = scene.client.post("/jobs/check", {"spec": spec})
    assert told["order"]["resources"]["nodes"] == 1
    assert any("probes run first" in words for words in told["warnings"])


@pytest.mark.parametrize("nodes", [0, -1, "many"])
def test_no_other_word_stands_for_a_number(scene: Scene, nodes: Any) -> None:
    spec = {"run": "true", "on": scene.name, "resources": {"nodes": nodes}}
    refused = scene.client.call("POST", "/jobs", {"spec": spec})
    assert refused.status == 422
    assert refused.json["faults"][0]["field"] == "resources.nodes"
