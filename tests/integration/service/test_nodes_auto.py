"""`nodes: auto`: probes tell how many, once; later jobs of the same kind use what they told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from support.probe_scene import ProbeRunner, report_facts
from support.scene import Scene, new_scene
from support.service import RunningService
from support.waiting import wait_for

AUTO = {"nodes": "auto", "walltime": "2h"}


@pytest.fixture
def scene(service: RunningService) -> Scene:
    made = new_scene(service)
    report_facts(made)
    return made


def ask(scene: Scene, **spec: Any) -> Any:
    whole = {"name": "net", "run": "python t.py {batch}", "params": {"batch": 64}, "on": scene.name}
    return scene.client.post("/jobs", {"spec": {**whole, "resources": AUTO, **spec}})


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
    goal = {"steps": 7200, "step_seconds": 0.5}
    spec = {**again["job"]["spec"], "params": {"batch": 64}, "resources": AUTO}
    told = scene.client.post("/plans", {"spec": spec, "goal": goal})
    assert (told["nodes"], told["node_hours"]) == (2, pytest.approx(2, rel=0.02))
    other = ask(scene, params={"batch": 128})["tasks"][0]
    assert other["phase"] == "probing"
    scene.client.post(f"/tasks/{other['id']}/cancel")


def test_a_task_that_is_cancelled_takes_its_probes_along(scene: Scene) -> None:
    task = ask(scene)["tasks"][0]
    scale = scale_of(scene, task)
    assert scene.client.post(f"/tasks/{task['id']}/cancel")["state"] == "cancelled"
    told = ProbeRunner(scene, pace).until_over(scale)
    assert told["state"] == "cancelled"


def test_a_scale_that_is_called_off_ends_the_task_that_waits_for_it(scene: Scene) -> None:
    task = ask(scene, budget="10 node-hours")["tasks"][0]
    scene.client.post(f"/scales/{task['awaits']}/cancel")
    ended = scene.task(task["id"])
    assert (ended["state"], ended["reason"]) == ("failed", "probes")
    assert "cancelled" in ended["message"]


def test_where_the_probes_tell_nothing_the_task_ends_and_says_so(scene: Scene) -> None:
    task = ask(scene)["tasks"][0]
    ProbeRunner(scene, lambda _: 0).until_over(scale_of(scene, task))
    ended = wait_for(lambda: scene.task(task["id"]), what="the end")
    assert (ended["state"], ended["reason"]) == ("failed", "probes")
    assert "No probe measured a step time" in ended["message"]
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


@pytest.mark.parametrize(("batch", "probed"), [(50, [1, 2]), (1, [1]), (64, [1, 2, 4])])
def test_sizes_that_cannot_share_the_batch_are_left_out_and_named(
    scene: Scene, batch: int, probed: list[int]
) -> None:
    """A check and the submission agree: nobody chose these sizes."""
    task = ask(scene, params={"batch": batch})["tasks"][0]
    scale = scene.client.get(f"/scales/{task['awaits']}")
    assert [one["nodes"] for one in scale["probes"]] == probed
    left_out = [note for note in scale["notes"] if note.startswith("Not probed")]
    assert len(left_out) == 3 - len(probed)
    scene.client.post(f"/tasks/{task['id']}/cancel")


def test_no_more_nodes_are_taken_than_the_budget_holds(scene: Scene) -> None:
    """Two nodes for two hours are four node-hours, and the probes used some of these five."""
    task = ask(scene, budget="4.4 node-hours")["tasks"][0]
    scale = scale_of(scene, task)
    assert [one["nodes"] for one in scene.client.get(f"/scales/{scale}")["probes"]] == [1, 2]
    runner = ProbeRunner(scene, pace)
    assert runner.until_over(scale)["advice"]["nodes"] == 2
    runner.until(lambda: runner.submitted[-1]["task"] == task["id"], "the task itself")
    order = runner.submitted[-1]["order"]
    assert order["resources"]["nodes"] * 2 <= float(order["budget"].split()[0]) < 4.4


def test_a_later_job_with_a_scant_budget_gets_what_that_holds(scene: Scene) -> None:
    first = ask(scene)["tasks"][0]
    ProbeRunner(scene, pace).until_over(scale_of(scene, first))
    again = ask(scene, budget="3 node-hours")
    assert again["tasks"][0]["order"]["resources"]["nodes"] == 1
    assert "the most that the budget allows" in again["warnings"][0]


def test_a_budget_without_room_for_probes_ends_the_task_with_that_reason(scene: Scene) -> None:
    task = ask(scene, budget="2 node-hours")["tasks"][0]
    ProbeRunner(scene, pace).until_over(scale_of(scene, task))
    ended = scene.task(task["id"])
    assert (ended["state"], ended["reason"]) == ("failed", "budget")
    assert "larger budget" in ended["message"]
    assert scene.client.call("POST", f"/tasks/{task['id']}/retry", {}).status == 409


def test_what_larger_probes_did_not_tell_is_said_of_later_jobs_too(scene: Scene) -> None:
    first = ask(scene)["tasks"][0]
    runner = ProbeRunner(scene, lambda order: 0.5 if order["resources"]["nodes"] == 1 else 0)
    runner.until_over(scale_of(scene, first))
    words = ask(scene)["warnings"][0]
    assert "no measurement on 2 nodes and 4 nodes" in words
    assert "`diamond scale` probes it again" in words


def test_ranks_that_may_be_copies_are_doubted_until_the_person_says_otherwise(scene: Scene) -> None:
    first = ask(scene)["tasks"][0]
    told = ProbeRunner(scene, pace).until_over(scale_of(scene, first))
    assert any("only look efficient" in note for note in told["notes"])
    assert "if its ranks train one model together" in told["advice"]["words"]
    sure = ask(scene, launch="per-rank")["tasks"][0]
    told = ProbeRunner(scene, pace).until_over(scale_of(scene, sure))
    assert not any("only look efficient" in note for note in told["notes"])
    assert "one model together" not in told["advice"]["words"]


def test_a_plan_that_is_not_kept_is_said_not_to_be(scene: Scene) -> None:
    spec = {"run": "true", "on": scene.name, "resources": {"nodes": "auto"}}
    goal = {"steps": 10, "step_seconds": 1}
    foretold = scene.client.post("/plans", {"spec": spec, "goal": goal})
    assert any("assumes one node" in words for words in foretold["warnings"])
    made = scene.client.post("/jobs", {"spec": spec, "goal": goal})
    assert made["tasks"][0]["prediction"] is None
    assert "The plan is not kept" in made["warnings"][-1]
    scene.client.post(f"/tasks/{made['tasks'][0]['id']}/cancel")


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
