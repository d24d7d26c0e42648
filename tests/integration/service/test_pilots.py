"""Pilots on each database: steps of a pipeline run in one allocation, which is found, started, lost and released."""

from __future__ import annotations

from typing import Any

import pytest

from support.scene import Scene, new_scene
from support.service import RunningService
from support.waiting import wait_for

CHAIN = {
    "first": {"run": "a {n}", "map": {"n": [1, 2]}},
    "second": {"run": "b", "needs": ["first"]},
}


@pytest.fixture
def scene(service: RunningService) -> Scene:
    return new_scene(service)


class Commands:
    """All that the agent got, in order."""

    def __init__(self, scene: Scene) -> None:
        self.scene, self.all = scene, []  # type: tuple[Scene, list[Any]]

    def of(self, kind: str, count: int) -> list[Any]:
        """The first so many of this kind that were not asked for before."""

        def enough() -> Any:
            new = self.scene.agent.commands(wait=1)["commands"]
            self.scene.agent.commands(done=[one["id"] for one in new])
            self.all += new
            found = [one for one in self.all if one["type"] == kind]
            return found if len(found) >= count else None

        found: list[Any] = wait_for(enough, what=f"{count} commands {kind}")
        self.all = [one for one in self.all if one not in found[:count]]
        return found[:count]

    def started(self, count: int) -> list[Any]:
        return self.of("submit", count)


def start(scene: Scene, command: Any, **more: Any) -> None:
    task, attempt = command["task"], command["attempt"]
    scene.tell("started", task, attempt, run=1, native_id="1", node="n1", **more)


def end(scene: Scene, command: Any, code: int = 0, **more: Any) -> None:
    task, attempt = command["task"], command["attempt"]
    scene.tell("exited", task, attempt, run=1, exit_code=code)
    native = {"status": "ended", "native_id": "1", "run": 1, "exit_code": code}
    scene.tell("observed", task, attempt, **{**native, **more})


def lose(scene: Scene, command: Any, reason: str) -> None:
    start(scene, command)
    task, attempt = command["task"], command["attempt"]
    scene.tell(
        "observed",
        task,
        attempt,
        status="ended",
        native_id="1",
        run=1,
        exit_code=None,
        reason=reason,
    )


def submit(scene: Scene, stages: Any = CHAIN, **more: Any) -> str:
    spec = {"name": "p", "on": scene.name, "together": {"walltime": "30m"}, "pipeline": stages}
    return str(scene.client.post("/pipelines", {"spec": {**spec, **more}})["id"])


def pilot_of(command: Any) -> str:
    return str(command["task_json"]["order"]["placement"].get("pilot", ""))


def shown(scene: Scene, pipeline: str) -> Any:
    return scene.client.get(f"/pipelines/{pipeline}")


def is_over(scene: Scene, pipeline: str) -> Any:
    found = shown(scene, pipeline)
    return found if found["state"] != "running" else None


def test_the_stages_of_a_pipeline_share_a_pilot_which_is_released_at_the_end(scene: Scene) -> None:
    pipeline, commands = submit(scene), Commands(scene)
    pilot, *firsts = commands.started(3)
    order = pilot["task_json"]["order"]
    assert order["pilot"] == {"idle_seconds": 300, "engine": "dask"}
    assert (pilot["task_json"]["kind"], order["command"], order["argv"]) == ("pilot", "", [])
    assert order["environment"]["requirements"][0].startswith("distributed==")
    assert [pilot_of(one) for one in firsts] == [pilot["task"]] * 2, "it comes before what it runs"
    (known,) = [one for one in scene.client.get("/pilots")["items"] if one["id"] == pilot["task"]]
    assert (known["pipeline"], known["walltime_minutes"]) == (pipeline, 30)
    start(scene, pilot)
    for command in firsts:
        start(scene, command)
        end(scene, command)
    (second,) = commands.started(1)
    assert pilot_of(second) == pilot["task"]
    counts = scene.client.get(f"/pilots/{pilot['task']}")["counts"]
    assert (counts["succeeded"], counts["preparing"]) == (2, 1)
    start(scene, second)
    end(scene, second)
    assert wait_for(lambda: is_over(scene, pipeline), what="its end")["state"] == "succeeded"
    assert commands.of("close-pilot", 1)[0]["task"] == pilot["task"]
    assert scene.client.get(f"/pilots/{pilot['task']}")["is_closing"]
    assert not [one for one in scene.client.get("/tasks")["items"] if one["id"] == pilot["task"]]


def test_a_pilot_that_a_person_started_is_used_by_pipelines_that_fit_and_stays(
    scene: Scene,
) -> None:
    asked = {"on": scene.name, "walltime": "2h", "nodes": 2, "idle": "20m"}
    pilot = scene.client.post("/pilots", {"name": "mine", "allocation": asked})
    assert (pilot["nodes"], pilot["idle_seconds"], pilot["pipeline"]) == (2, 1200, "")
    commands = Commands(scene)
    (held,) = commands.started(1)
    stages = {"only": {"run": "a"}}
    inside = submit(scene, stages)
    (step,) = commands.started(1)
    assert pilot_of(step) == held["task"] == pilot["id"]
    larger = submit(scene, stages, together={"nodes": 3, "walltime": "30m"})
    other, its_step = commands.started(2)
    assert pilot_of(its_step) == other["task"] != pilot["id"], "it has too few nodes"
    for command in (held, step, other, its_step):
        start(scene, command)
    end(scene, step)
    end(scene, its_step)
    wait_for(lambda: is_over(scene, inside) and is_over(scene, larger), what="their ends")
    assert commands.of("close-pilot", 1)[0]["task"] == other["task"]
    assert not scene.client.get(f"/pilots/{pilot['id']}")["is_closing"]
    stopped = scene.client.post(f"/pilots/{pilot['id']}/stop", {})
    assert stopped["is_closing"] and commands.of("close-pilot", 1)[0]["task"] == pilot["id"]
    again = scene.client.post(f"/pilots/{pilot['id']}/stop", {"now": True})
    assert again["phase"] == "cancelling"
    assert scene.client.call("POST", f"/tasks/{pilot['id']}/retry", {}).status == 409


def test_a_step_that_lost_its_allocation_starts_again_without_using_up_a_try(scene: Scene) -> None:
    pipeline, commands = submit(scene, {"only": {"run": "a"}}), Commands(scene)
    pilot, step = commands.started(2)
    start(scene, pilot)
    lose(scene, step, "node-lost")
    (again,) = commands.started(1)
    assert pilot_of(again) == pilot["task"], "its pilot continues in another allocation"
    task, attempt = again["task"], again["attempt"]
    end(scene, pilot)
    scene.tell("prepare-failed", task, attempt, reason="pilot-closed", message="it has gone")
    other, third = commands.started(2)
    assert pilot_of(third) == other["task"] != pilot["task"]
    found = shown(scene, pipeline)
    step_shown = found["stages"][0]["steps"][0]
    assert (step_shown["tries"], step_shown["lost"], found["state"]) == (1, 2, "running")
    assert [one["id"] for one in found["pilots"]] == [pilot["task"], other["task"]]
    start(scene, other)
    start(scene, third)
    end(scene, third, code=3)
    over = wait_for(lambda: is_over(scene, pipeline), what="its end")
    assert over["state"] == "failed", "a program that fails has used its one try"


def test_a_step_that_its_pilot_refused_goes_to_another_although_that_has_not_ended(
    scene: Scene,
) -> None:
    submit(scene, {"only": {"run": "a"}})
    commands = Commands(scene)
    pilot, step = commands.started(2)
    start(scene, pilot)
    refused = {"reason": "pilot-closed", "message": "The pilot has closed"}
    scene.tell("prepare-failed", step["task"], step["attempt"], **refused)
    new, again = commands.started(2)
    assert pilot_of(again) == new["task"] != pilot["task"]
    assert scene.client.get(f"/pilots/{pilot['task']}")["is_closing"]


def test_with_its_pipeline_a_pilot_that_waits_in_the_queue_is_cancelled(scene: Scene) -> None:
    pipeline, commands = submit(scene, {"only": {"run": "a"}}), Commands(scene)
    pilot, _ = commands.started(2)
    scene.client.post(f"/pipelines/{pipeline}/cancel")
    assert scene.client.get(f"/pilots/{pilot['task']}")["phase"] == "cancelling"


def test_a_pilot_that_never_began_fails_what_waits_for_it(scene: Scene) -> None:
    pipeline, commands = submit(scene, {"only": {"run": "a"}}), Commands(scene)
    pilot, step = commands.started(2)
    refused = {"reason": "refused", "message": "no such account"}
    scene.tell("prepare-failed", pilot["task"], pilot["attempt"], **refused)
    scene.tell("prepare-failed", step["task"], step["attempt"], reason="pilot-closed", message="x")
    over = wait_for(lambda: is_over(scene, pipeline), what="its end")
    assert "no such account" in over["message"] and over["state"] == "failed"


def test_groups_and_stages_of_their_own_are_mixed(scene: Scene) -> None:
    stages = {
        "alone": {"run": "a", "together": False},
        "prep": {"run": "b"},
        "train": {"run": "c", "together": "big"},
    }
    groups = {"big": {"nodes": 4, "walltime": "1h"}}
    pipeline, commands = submit(scene, stages, groups=groups), Commands(scene)
    found = commands.started(5)
    by_name = {one["task_json"]["name"]: one for one in found}
    assert set(by_name) == {"p", "p.big", "p.alone", "p.prep", "p.train"}
    assert pilot_of(by_name["p.alone"]) == ""
    assert pilot_of(by_name["p.prep"]) == by_name["p"]["task"]
    assert pilot_of(by_name["p.train"]) == by_name["p.big"]["task"]
    start(scene, by_name["p.big"])
    start(scene, by_name["p.train"])
    end(scene, by_name["p.train"])
    assert commands.of("close-pilot", 1)[0]["task"] == by_name["p.big"]["task"]
    cancelled = scene.client.post(f"/pipelines/{pipeline}/cancel")
    assert cancelled["state"] == "cancelled"
    ended = wait_for(
        lambda: scene.client.get(f"/pilots/{by_name['p']['task']}")["is_closing"],
        what="its other pilot to be released",
    )
    assert ended


def test_what_runs_in_a_pilot_counts_once(scene: Scene) -> None:
    before = scene.client.get("/me/usage")["use"]
    submit(scene, {"only": {"run": "a", "map": {"n": [1, 2, 3]}}}, name="counted")
    commands = Commands(scene)
    pilot, *_ = commands.started(4)
    use = scene.client.get("/me/usage")["use"]
    assert use["running_tasks"] == before["running_tasks"] + 1
    more = use["node_hours_committed"] - before["node_hours_committed"]
    attempts = 4  # its allocation, and three that may follow unasked
    assert 0 < more <= attempts * 0.5 + 1e-9
    assert scene.client.post(f"/pilots/{pilot['task']}/stop", {"now": True})["is_closing"]


def test_faults_of_allocations_are_found_before_anything_starts(scene: Scene) -> None:
    def faults(**more: Any) -> dict[str, str]:
        stages = {"s": {"run": "a", "resources": {"nodes": 3, "walltime": "2h"}}}
        spec = {"name": "p", "on": scene.name, "pipeline": stages, **more}
        answer = scene.client.call("POST", "/pipelines/check", {"spec": spec})
        assert answer.status == 422, answer.body
        return {one["field"]: one["message"] + one["hint"] for one in answer.json["faults"]}

    found = faults(together={"nodes": 2, "walltime": "1h"})
    assert "3 nodes is more than its allocation has: 2" in found["pipeline.s.resources.nodes"]
    assert "2h is more" in found["pipeline.s.resources.walltime"]
    nowhere = faults(together={"on": "nowhere", "nodes": 3, "walltime": "2h"})
    assert set(nowhere) == {"together.on"} and "There is no endpoint" in nowhere["together.on"]
    wrong = scene.client.call("POST", "/pilots", {"allocation": {"nodes": 0, "gpu": 1}})
    fields = {fault["field"] for fault in wrong.json["faults"]}
    assert (wrong.status, fields) == (422, {"nodes", "gpu"})
    off = {"corrections": {"pilots": False}}
    assert scene.client.call("PATCH", f"/endpoints/{scene.name}", off).status == 200
    found = faults(together={"nodes": 3, "walltime": "2h"})
    assert "switched them off" in found["together.on"]
    refused = scene.client.call("POST", "/pilots", {"allocation": {"on": scene.name}})
    assert refused.status == 422 and "switched them off" in str(refused.json)


def test_an_agent_that_is_too_old_gets_no_pilot(scene: Scene) -> None:
    scene.agent.hello(protocol=4)
    refused = scene.client.call("POST", "/pilots", {"allocation": {"on": scene.name}})
    assert refused.status == 409 and "too old for pilots" in str(refused.json)
