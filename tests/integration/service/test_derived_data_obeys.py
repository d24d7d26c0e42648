"""What holds for a dataset holds for all that was made from it: where it may lie, what may carry it, who may have it."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from diamond.service.access.principal import Scope
from support.data_scene import added, data_commands
from support.people import add_person
from support.result_scene import ended_task, finish, read_result
from support.scene import Scene, machine_of, new_person
from support.service import RunningService

_numbers = count(1)


@pytest.fixture
def ada(service: RunningService) -> Scene:
    _, scene = new_person(service, "ada")
    return scene


def model_from(scene: Scene, content: bytes, **spec: Any) -> str:
    """A model whose one version was made by a task with this spec; gives its name."""
    name = f"derived-{next(_numbers)}"
    task = ended_task(scene, **spec)
    scene.client.post(f"/tasks/{task}/results", {"path": "artifacts"})
    read_result(scene, content + name.encode())
    scene.client.post(f"/models/{name}/versions", {"task": task})
    return name


def refused(answer: Any) -> str:
    assert (answer.status, answer.json["code"]) == (409, "restricted"), answer.body
    return str(answer.json["title"])


def test_a_model_made_from_limited_data_lies_where_the_data_may(ada: Scene) -> None:
    other = machine_of(ada.service, ada.client)
    added(ada, "patients", endpoints=[ada.name])
    first = model_from(ada, b"first", data={"in": "patients"})
    second = model_from(ada, b"second", data={"weights": f"model:{first}@v1"})
    for name in (first, second):
        safety = ada.client.get(f"/models/{name}/versions/v1/safety")
        assert safety["state"] == "on-endpoint"
        assert "the dataset patients limits where it may be" in safety["message"]
        spec = {"name": "x", "run": "true", "on": other.name, "data": {"w": f"model:{name}"}}
        title = refused(ada.client.call("POST", "/jobs", {"spec": spec}))
        assert "the dataset patients limits" in title
        digest = ada.client.get(f"/models/{name}/versions/v1")["digest"]
        spec["data"] = {"w": {"tree": digest}}
        refused(ada.client.call("POST", "/jobs", {"spec": spec}))
        assert ada.submit(data={"w": {"tree": digest}})["state"] != "failed"
    assert not [one for one in data_commands(ada) if one["act"] == "send"]


def test_who_uses_a_shared_model_does_not_learn_what_limits_it(
    service: RunningService, ada: Scene
) -> None:
    bob_id, bob = new_person(service, "bob")
    added(ada, "patients", {"a": b"shared"}, endpoints=[ada.name])
    name = model_from(ada, b"shared", data={"in": "patients"})
    ada.client.post(f"/models/{name}/shares", {"with_kind": "person", "with_id": bob_id})
    spec = {"name": "x", "run": "true", "on": bob.name, "data": {"w": f"model:{name}"}}
    answer = bob.client.call("POST", "/jobs", {"spec": spec})
    refused(answer)
    assert "patients" not in str(answer.json) and ada.name not in str(answer.json)


def test_limited_data_named_by_its_digest_is_still_limited(ada: Scene) -> None:
    other = machine_of(ada.service, ada.client)
    digest = added(ada, "patients", {"a": b"by digest"}, endpoints=[ada.name])["digest"]
    spec = {"name": "x", "run": "true", "on": other.name, "data": {"in": {"tree": digest}}}
    assert "the dataset patients" in refused(ada.client.call("POST", "/jobs", {"spec": spec}))


def test_what_others_made_of_the_same_bytes_limits_nobody_else(
    service: RunningService, ada: Scene
) -> None:
    _, bob = new_person(service, "bob")
    added(ada, "patients", {"a": b"the same"}, endpoints=[ada.name])
    digest = added(bob, "mine", {"a": b"the same"})["digest"]
    other = machine_of(bob.service, bob.client)
    spec = {"name": "x", "run": "true", "on": other.name, "data": {"in": {"tree": digest}}}
    assert bob.client.call("POST", "/jobs", {"spec": spec}).status == 201


def test_a_model_of_a_restricted_project_stays_in_it(ada: Scene) -> None:
    project = f"p{next(_numbers)}"
    key = ada.client.post("/projects", {"name": project})["id"]
    assert ada.client.call("PATCH", f"/projects/{key}", {"endpoints": [ada.name]}).status == 200
    body = {"spec": {"name": "job", "run": "true", "on": ada.name}, "project": project}
    task = ada.client.post("/jobs", body)["tasks"][0]
    finish(ada, *ada.take(task))
    ada.client.post(f"/tasks/{task['id']}/results", {"path": "artifacts"})
    read_result(ada, b"of the project")
    name = f"inside-{next(_numbers)}"
    ada.client.post(f"/models/{name}/versions", {"task": task["id"]})
    safety = ada.client.get(f"/models/{name}/versions/v1/safety")
    assert f"the restricted project {project}" in safety["message"]
    everyone = {"with_kind": "everyone", "with_id": ""}
    refused(ada.client.call("POST", f"/models/{name}/shares", everyone))
    shared = model_from(ada, b"free")
    assert ada.client.call("POST", f"/models/{shared}/shares", everyone).status < 300
    answer = ada.client.call("POST", f"/models/{shared}/versions", {"task": task["id"]})
    assert "is shared" in refused(answer)
    result = ada.client.get(f"/tasks/{task['id']}/results")["items"][0]["name"]
    as_dataset = f"/tasks/{task['id']}/results/{result}/dataset"
    ada.client.post(as_dataset, {"name": f"data-{name}"})
    refused(ada.client.call("POST", f"/datasets/data-{name}/shares", everyone))
    added(ada, f"free-{name}", {"a": name.encode()})
    assert ada.client.call("POST", f"/datasets/free-{name}/shares", everyone).status < 300
    answer = ada.client.call("POST", as_dataset, {"name": f"free-{name}"})
    assert "is shared" in refused(answer)


def test_a_token_that_only_runs_work_widens_no_limit(service: RunningService) -> None:
    ada_id, ada = new_person(service, "ada")
    other = machine_of(service, ada.client)
    name = f"limited-{next(_numbers)}"
    added(ada, name, endpoints=[ada.name])
    _, small = add_person(service, "", user=ada_id, scopes=[Scope.READ, Scope.RUN])
    body = {"name": name, "endpoint": ada.name, "path": "/data/more"}
    answer = small.call("POST", "/datasets", {**body, "endpoints": [ada.name, other.name]})
    assert (answer.status, answer.json["code"]) == (403, "scope"), answer.body
    assert ada.client.get(f"/datasets/{name}")["endpoints"] == [ada.name]
    assert small.call("POST", "/datasets", {**body, "endpoints": [ada.name]}).status < 300
