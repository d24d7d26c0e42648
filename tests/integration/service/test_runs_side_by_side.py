from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

import pytest

from diamond.service.access.principal import Role
from support.http import Client
from support.image_scene import ENVIRONMENT, built
from support.people import add_person, put_in_project
from support.scene import Scene, new_scene
from support.scripted_agent import ScriptedAgent
from support.service import RunningService

CURVE = [[1, 10.0, 0.5], [2, 11.0, None], [3, 12.0, 0.25]]
RUN: dict[str, Any] = {
    "source": "mlflow",
    "key": "abc",
    "name": "old",
    "experiment": "digits",
    "state": "succeeded",
    "created": 5.0,
    "started": 5.0,
    "ended": 65.0,
    "params": {"lr": 0.3},
    "tags": ["baseline"],
    "curves": {"loss": CURVE},
}


@pytest.fixture
def scene(service: RunningService) -> Scene:
    return new_scene(service)


def compared(client: Client, *runs: str) -> Any:
    return client.get(f"/runs/compare?{urlencode({'run': runs}, doseq=True)}")


def part(comparison: Any, name: str) -> dict[str, Any]:
    rows = [row for each in comparison["parts"] if each["name"] == name for row in each["rows"]]
    return {row["name"]: (*row["values"], row["differs"]) for row in rows}


def test_two_tasks_stand_side_by_side(scene: Scene) -> None:
    ids = []
    for lr, loss in ((0.1, 0.5), (0.2, 0.25)):
        task, attempt = scene.taken(name="pair", params={"lr": lr, "seed": 1})
        row = json.dumps({"step": 1, "loss": loss}).encode() + b"\n"
        stream = {"task": task, "attempt": attempt, "run": 1, "rank": 0, "stream": "metrics"}
        scene.agent.bytes(({**stream, "offset": 0}, row))
        ids.append(task)
    comparison = compared(scene.client, *ids)
    assert [run["id"] for run in comparison["runs"]] == ids
    assert part(comparison, "params") == {"lr": (0.1, 0.2, True), "seed": (1, 1, False)}
    assert part(comparison, "metrics") == {"loss": (0.5, 0.25, True)}
    assert part(comparison, "resources")["nodes"] == (1, 1, False)
    assert part(comparison, "ending")["state"][2] is False


def test_packages_that_differ_are_named_and_hidden_images_stay_hidden(
    service: RunningService,
) -> None:
    _, owner = add_person(service, "packages-owner")
    member_id, member = add_person(service, "packages-member")
    project = owner.post("/projects", {"name": "packages"})["id"]
    put_in_project(service, project, member_id, Role.VIEWER)
    added = owner.post("/endpoints", {"name": "away", "carrier": "local"})

    agent = ScriptedAgent(service.url, added["key"])
    agent.hello()
    scene = Scene(service, owner, agent, "away")
    ids = []
    for number in (1, 2):
        environment = {**ENVIRONMENT, "test": f"echo {number}"}
        image = built(scene, f"image-{number}", number, environment)
        spec = {"name": "in-image", "run": "true", "on": "away", "environment": image["name"]}
        made = owner.post("/jobs", {"spec": spec, "project": "packages"})
        ids.append(made["tasks"][0]["id"])
    images = part(compared(owner, *ids), "image")
    assert images["image"][2] is True
    hidden = part(compared(member, *ids), "packages")
    assert hidden == {}  # both are hidden alike


@pytest.mark.parametrize("count", [1, 11])
def test_a_comparison_is_of_two_to_ten_runs(scene: Scene, count: int) -> None:
    query = urlencode({"run": [f"t{n}" for n in range(count)]}, doseq=True)
    answer = scene.client.call("GET", f"/runs/compare?{query}")
    assert answer.status == 400 and "to compare" in answer.json["title"]


def test_a_run_of_another_tool_is_a_row_of_the_table_and_can_be_compared(scene: Scene) -> None:
    first = scene.client.post("/runs/imports", RUN)
    again = scene.client.post("/runs/imports", RUN)
    assert (again["id"], again["is_new"]) == (first["id"], False)
    columns = ["source", "endpoint", "param.lr", "metric.loss", "min.loss", "duration", "tags"]
    query = urlencode({"column": columns, "filter": f"id={first['id']}"}, doseq=True)
    rows = scene.client.get(f"/runs?{query}")["rows"]
    assert rows[0]["values"] == ["mlflow", "digits", 0.3, 0.25, 0.25, 60.0, "baseline"]
    task, _ = scene.taken(name="new", params={"lr": 0.1})
    comparison = compared(scene.client, first["id"], task)
    assert part(comparison, "params")["lr"] == (0.3, 0.1, True)
    curves = scene.client.get(f"/runs/imports/{first['id']}/curves")["items"]
    assert curves == [{"name": "loss", "points": CURVE}]
    changed = scene.client.post("/runs/imports", {**RUN, "params": {"lr": 0.4}})
    assert (changed["id"], changed["is_new"]) == (first["id"], True)
    assert scene.client.call("DELETE", f"/runs/imports/{first['id']}").status == 204
    assert scene.client.call("GET", f"/runs/imports/{first['id']}").status == 404


def test_nobody_compares_what_is_not_shared_with_them(service: RunningService) -> None:
    _, owner = add_person(service, "compare-owner")
    member_id, member = add_person(service, "compare-member")
    _, stranger = add_person(service, "compare-stranger")
    project = owner.post("/projects", {"name": "compare-group"})["id"]
    put_in_project(service, project, member_id, Role.VIEWER)
    owner.post("/endpoints", {"name": "away", "carrier": "local"})
    spec = {"name": "shown", "run": "true", "on": "away"}
    task = owner.post("/jobs", {"spec": spec, "project": "compare-group"})["tasks"][0]["id"]
    private = owner.post("/runs/imports", {**RUN, "key": "private"})["id"]
    shared = owner.post("/runs/imports", {**RUN, "key": "shared", "project": "compare-group"})["id"]
    assert len(compared(member, task, shared)["runs"]) == 2
    for caller, runs in (
        (member, (task, private)),
        (stranger, (task, shared)),
        (stranger, (private, shared)),
    ):
        query = urlencode({"run": runs}, doseq=True)
        assert caller.call("GET", f"/runs/compare?{query}").status == 404
    refused = member.call("POST", "/runs/imports", {**RUN, "project": "compare-group"})
    assert refused.status == 403
    assert member.call("DELETE", f"/runs/imports/{shared}").status == 403


@pytest.mark.parametrize(
    "change",
    [
        {"curves": {"loss": [["x", 1, 1]]}},
        {"state": "unknown"},
        {"source": "elsewhere"},
        {"params": {"x": "y" * 5000}},
        {"name": "x" * 300},
        {"secret": 1},
    ],
)
def test_what_is_not_a_run_is_rejected(scene: Scene, change: dict[str, Any]) -> None:
    assert scene.client.call("POST", "/runs/imports", {**RUN, **change}).status == 422
