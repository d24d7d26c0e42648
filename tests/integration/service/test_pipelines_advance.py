"""Pipelines on each database: a stage starts when its inputs have digests, and finished work is linked."""

from __future__ import annotations

from typing import Any

import pytest

from diamond.service.access.principal import Role
from support.data_scene import added, finish_scan
from support.people import add_person, put_in_project
from support.scene import Scene, new_scene
from support.service import RunningService
from support.waiting import wait_for

STAGES: dict[str, Any] = {
    "prepare": {"run": "p", "outputs": {"features": "out/f"}},
    "train": {"run": "t {prepare.features}", "map": {"lr": [1, 2]}, "outputs": {"w": "w"}},
}


@pytest.fixture
def scene(service: RunningService) -> Scene:
    return new_scene(service)


def submit(scene: Scene, **body: Any) -> str:
    spec = {"name": "p", "on": scene.name, "pipeline": STAGES}
    return str(scene.client.post("/pipelines", {"spec": spec, **body})["id"])


def next_tasks(scene: Scene, count: int) -> list[Any]:
    """Orders of new tasks, as the agent gets them."""
    found: list[Any] = []

    def enough() -> bool:
        commands = scene.agent.commands(wait=1)["commands"]
        scene.agent.commands(done=[one["id"] for one in commands])
        found.extend(one for one in commands if one["type"] == "submit")
        return len(found) >= count

    wait_for(enough, what=f"{count} tasks")
    return found


def succeed(scene: Scene, command: Any, files: dict[str, bytes]) -> str:
    """The task ends, and its one output is hashed."""
    task, attempt = command["task"], command["attempt"]
    scene.tell("started", task, attempt, run=1, native_id="1", node="n1")
    scene.tell("exited", task, attempt, run=1, exit_code=0)
    scene.tell("observed", task, attempt, status="ended", native_id="1", run=1, exit_code=0)
    commands = scene.agent.commands(wait=5)["commands"]
    scene.agent.commands(done=[one["id"] for one in commands])
    scan = next(one for one in commands if one["type"] == "data")
    return finish_scan(scene, scan["scan"], files, scan["path"])


def ended(scene: Scene, pipeline: str) -> Any:
    def over() -> Any:
        found = scene.client.get(f"/pipelines/{pipeline}")
        return found if found["state"] != "running" else None

    return wait_for(over, what="the end of the pipeline")


def test_a_stage_starts_with_the_digest_of_what_it_reads_and_is_not_repeated(scene: Scene) -> None:
    pipeline = submit(scene)
    (prepare,) = next_tasks(scene, 1)
    assert prepare["task_json"]["order"]["command"] == "p"
    digest = succeed(scene, prepare, {"a": b"1", "b": b"2"})
    trained = next_tasks(scene, 2)
    for command in trained:
        tree = command["task_json"]["order"]["trees"]["prepare_features"]
        assert tree == {"digest": digest, "layout": "files", "cache": ""}
        succeed(scene, command, {"w": command["task"].encode()})
    first = ended(scene, pipeline)
    assert first["state"] == "succeeded" and first["counts"]["done"] == 3
    assert scene.client.get("/pipelines/p")["id"] == pipeline, "found by its name too"
    titles = [one["title"] for one in scene.client.get("/notifications")["items"]]
    assert [title for title in titles if "p." in title or "pipeline p" in title] == [
        "The pipeline p succeeded"
    ]
    again = ended(scene, submit(scene))
    assert again["counts"]["cached"] == 3
    listed = {one["id"]: one["counts"] for one in scene.client.get("/pipelines")["items"]}
    assert (listed[pipeline], listed[again["id"]]) == (first["counts"], again["counts"])
    forced = submit(scene, force=["train"])
    assert len(next_tasks(scene, 2)) == 2
    assert scene.client.post(f"/pipelines/{forced}/cancel")["counts"]["cancelled"] == 2


def test_what_failed_is_retried_in_the_same_pipeline(scene: Scene) -> None:
    pipeline = submit(scene, force=["prepare"])
    (prepare,) = next_tasks(scene, 1)
    task, attempt = prepare["task"], prepare["attempt"]
    scene.tell("started", task, attempt, run=1, native_id="1", node="n1")
    scene.tell("exited", task, attempt, run=1, exit_code=3)
    scene.tell("observed", task, attempt, status="ended", native_id="1", run=1, exit_code=3)
    failed = ended(scene, pipeline)
    assert failed["state"] == "failed"
    assert failed["counts"]["stopped"] == 2 and failed["counts"]["failed"] == 1
    again = scene.client.post(f"/pipelines/{pipeline}/retry", {"stages": ["prepare"]})
    assert again["state"] == "running"
    assert next_tasks(scene, 1)[0]["task"] != task


def test_a_step_that_passes_a_limit_waits_until_there_is_room(scene: Scene) -> None:
    """Tasks of earlier tests may be open on this service: the limit leaves room for one more."""
    open_now = scene.client.get("/me/usage")["use"]["running_tasks"]
    assert scene.client.call("PUT", "/limits", {"running_tasks": open_now + 1}).status == 200
    try:
        stages = {"s": {"run": "s {n}", "map": {"n": [1, 2]}, "outputs": {"y": "y"}}}
        spec = {"name": "limited", "on": scene.name, "pipeline": stages}
        pipeline = scene.client.post("/pipelines", {"spec": spec})["id"]
        (first,) = next_tasks(scene, 1)
        shown = wait_for(lambda: waiting_with_message(scene, pipeline), what="why it waits")
        assert "running" in shown["message"] or "tasks" in shown["message"]
        succeed(scene, first, {"y": b"1"})
        wait_for(lambda: tasks_of(scene, pipeline) > {first["task"]}, what="the second task")
    finally:
        scene.client.call("PUT", "/limits", {})


def waiting_with_message(scene: Scene, pipeline: str) -> Any:
    steps = scene.client.get(f"/pipelines/{pipeline}")["stages"][0]["steps"]
    return next((one for one in steps if one["state"] == "waiting" and one["message"]), None)


def tasks_of(scene: Scene, pipeline: str) -> set[str]:
    steps = scene.client.get(f"/pipelines/{pipeline}")["stages"][0]["steps"]
    return {one["task"] for one in steps if one["task"]}


def test_an_output_becomes_a_version_of_a_dataset(scene: Scene) -> None:
    raw = added(scene, "river")
    output = {"path": "out", "dataset": "river-features"}
    spec: dict[str, Any] = {
        "name": "to-data",
        "on": scene.name,
        "data": {"river": "river"},
        "pipeline": {"prepare": {"run": "p", "outputs": {"features": output}}},
    }
    pipeline = str(scene.client.post("/pipelines", {"spec": spec})["id"])
    (prepare,) = next_tasks(scene, 1)
    digest = succeed(scene, prepare, {"a": b"features"})
    (stage,) = ended(scene, pipeline)["stages"]
    assert stage["steps"][0]["outputs"]["features"]["dataset"] == "river-features@v1"
    dataset = scene.client.get("/datasets/river-features")
    assert dataset["newest"]["digest"] == f"sha256:{digest}"
    assert prepare["task"] in dataset["newest"]["source"]
    nodes = scene.client.get(f"/lineage?of={digest}&direction=backward")["nodes"]
    assert raw["digest"].removeprefix("sha256:") in {node["id"] for node in nodes}
    again = ended(scene, str(scene.client.post("/pipelines", {"spec": spec})["id"]))
    assert again["stages"][0]["steps"][0]["state"] == "cached"
    assert len(scene.client.get("/datasets/river-features")["versions"]) == 1
    spec["pipeline"]["prepare"]["outputs"]["features"]["dataset"] = "other"
    again = ended(scene, str(scene.client.post("/pipelines", {"spec": spec})["id"]))
    made = again["stages"][0]["steps"][0]["outputs"]["features"]
    assert made["dataset"] == "other@v1", "cached work is a version of what is named now"


def test_a_dataset_is_named_by_one_step_alone(scene: Scene) -> None:
    output = {"path": "w", "dataset": "weights"}
    stages = {"train": {"run": "t {lr}", "map": {"lr": [1, 2]}, "outputs": {"w": output}}}
    spec = {"name": "p", "on": scene.name, "pipeline": stages}
    answer = scene.client.call("POST", "/pipelines", {"spec": spec})
    assert answer.status == 422
    assert "each step would be a version of weights" in str(answer.json)
    output["kind"] = "value"
    answer = scene.client.call("POST", "/pipelines", {"spec": spec})
    assert answer.status == 422 and "A value cannot become a version" in str(answer.json)


def test_who_sees_a_pipeline_sees_its_tasks_and_changes_nothing(scene: Scene) -> None:
    """Through a share with them, and as a member of its project."""
    stages = {"only": {"run": "a"}}
    project = scene.client.post("/projects", {"name": f"seen-by-{scene.name}"})["id"]
    shared, common = submit_stages(scene, stages), submit_stages(scene, stages, project=project)
    ada, client = add_person(scene.service, "ada")
    path = f"/pipelines/{shared}"
    tasks = [one["task"] for one in next_tasks(scene, 2)]
    task = scene.client.get(path)["stages"][0]["steps"][0]["task"]
    assert task in tasks
    assert client.call("GET", path).status == client.call("GET", f"/tasks/{task}").status == 404
    scene.client.post(f"{path}/shares", {"with_kind": "person", "with_id": ada})
    assert client.get(path)["stages"][0]["steps"][0]["task"] == task
    assert client.get(f"/tasks/{task}")["id"] == task
    put_in_project(scene.service, project, ada, Role.VIEWER)
    assert {one["id"] for one in client.get("/pipelines")["items"]} == {shared, common}
    for pipeline in (shared, common):
        for act in ("cancel", "retry", "again"):
            answer = client.call("POST", f"/pipelines/{pipeline}/{act}", {})
            assert (answer.status, answer.json["code"]) == (403, "role"), act
    scene.client.call("DELETE", f"{path}/shares?with_kind=person&with_id={ada}")
    assert client.call("GET", path).status == client.call("GET", f"/tasks/{task}").status == 404
    put_in_project(scene.service, project, ada, Role.MANAGER)
    assert client.post(f"/pipelines/{common}/cancel")["state"] == "cancelled"


def test_a_shared_pipeline_shows_no_work_that_was_done_in_another_project(scene: Scene) -> None:
    """In a course, say: who may not share it there must not share it through a pipeline that finds it in the cache."""
    stages = {"only": {"run": "c", "outputs": {"y": "y"}}}
    project = scene.client.post("/projects", {"name": f"closed-{scene.name}"})["id"]
    first = submit_stages(scene, stages, project=project)
    succeed(scene, next_tasks(scene, 1)[0], {"y": b"1"})
    done = ended(scene, first)["stages"][0]["steps"][0]["task"]
    second = ended(scene, submit_stages(scene, stages))
    assert second["stages"][0]["steps"][0]["task"] == done and second["counts"]["cached"] == 1
    ada, client = add_person(scene.service, "ada")
    with_ada = {"with_kind": "person", "with_id": ada}
    scene.client.post(f"/pipelines/{second['id']}/shares", with_ada)
    assert client.call("GET", f"/tasks/{done}").status == 404
    scene.client.post(f"/pipelines/{first}/shares", with_ada)
    assert client.get(f"/tasks/{done}")["id"] == done
    job = client.get(f"/tasks/{done}")["job"]
    assert len(scene.client.post(f"/jobs/{job}/shares", with_ada)["items"]) == 1, "its own share"


def submit_stages(scene: Scene, stages: dict[str, Any], **body: Any) -> str:
    spec = {"name": "p", "on": scene.name, "pipeline": stages}
    return str(scene.client.post("/pipelines", {"spec": spec, **body})["id"])
