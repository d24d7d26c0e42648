from __future__ import annotations

import asyncio
import csv
import json
from typing import Any
from urllib.parse import urlencode

import pytest
from sqlalchemy import delete, select

from diamond.service.access.principal import Role
from diamond.service.platform.database.engine import Store
from diamond.service.platform.database.tables import run_summaries
from diamond.service.platform.wakeups.notifier import Notifier
from diamond.service.settings import Settings
from support.http import Client
from support.people import add_person, put_in_project
from support.scene import Scene, new_scene
from support.service import RunningService, start_service
from support.waiting import wait_for


@pytest.fixture
def scene(service: RunningService) -> Scene:
    return new_scene(service)


def log(scene: Scene, task: str, attempt: str, *rows: dict[str, Any], offset: int = 0) -> int:
    data = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    part = {"task": task, "attempt": attempt, "run": 1, "rank": 0, "stream": "metrics"}
    have: int = scene.agent.bytes(({**part, "offset": offset}, data))["have"][0]
    return have


def table(client: Client, **query: Any) -> Any:
    return client.get(f"/runs?{urlencode(query, doseq=True)}")


def values(client: Client, **query: Any) -> list[list[Any]]:
    return [row["values"] for row in table(client, **query)["rows"]]


def test_parameters_metrics_and_facts_of_runs_stand_in_one_table(scene: Scene) -> None:
    for lr, losses in ((0.1, (0.9, 0.3, 0.5)), (0.01, (0.8, 0.7))):
        task, attempt = scene.taken(name="sweep", params={"lr": lr})
        log(scene, task, attempt, *({"step": n, "loss": loss} for n, loss in enumerate(losses)))
    columns = ["param.lr", "metric.loss", "min.loss", "best.loss", "step.loss", "endpoint"]
    asked = {"column": columns, "filter": [f"endpoint={scene.name}"], "sort": "best.loss"}
    assert values(scene.client, **asked) == [
        [0.1, 0.5, 0.3, 0.3, 2, scene.name],
        [0.01, 0.7, 0.7, 0.7, 1, scene.name],
    ]
    few = table(scene.client, column="name", filter=[f"endpoint={scene.name}", "param.lr<0.05"])
    assert few["total"] == 1 and few["is_complete"]


def test_a_table_follows_metrics_while_they_arrive(scene: Scene) -> None:
    task, attempt = scene.taken(name="follow")
    offset = log(scene, task, attempt, {"step": 1, "acc": 0.5})
    asked = {"column": ["metric.acc", "max.acc"], "filter": f"id={task}"}
    assert values(scene.client, **asked) == [[0.5, 0.5]]
    log(scene, task, attempt, {"step": 2, "acc": 0.25}, offset=offset)
    assert values(scene.client, **asked) == [[0.25, 0.5]]


def test_usage_of_the_machine_is_not_among_the_metrics(scene: Scene) -> None:
    task, attempt = scene.taken(name="busy")
    part = {"task": task, "attempt": attempt, "run": 1, "rank": 0, "stream": "usage", "offset": 0}
    scene.agent.bytes((part, b'{"time":1,"cpu":0.5}\n'))
    assert values(scene.client, column="metric.cpu", filter=f"id={task}") == [[None]]


def test_runs_are_grouped_by_a_parameter(scene: Scene) -> None:
    for model, acc in (("cnn", 0.5), ("cnn", 0.75), ("mlp", 0.25)):
        task, attempt = scene.taken(name="grouped", params={"model": model})
        log(scene, task, attempt, {"step": 1, "acc": acc})
    only = [f"endpoint={scene.name}"]
    answer = table(scene.client, column="metric.acc", group="param.model", filter=only)
    by = {group["by"][0]: group for group in answer["groups"]}
    assert (by["cnn"]["count"], by["cnn"]["columns"][0]["mean"]) == (2, 0.625)
    assert by["mlp"]["columns"][0]["spread"] is None
    assert answer["rows"] == []


def test_rows_come_in_pages(scene: Scene) -> None:
    made = [scene.taken(name="paged", params={"n": n})[0] for n in range(5)]
    only, seen, cursor = [f"endpoint={scene.name}"], [], ""
    while True:
        query = {"column": "id", "filter": only, "sort": "param.n", "limit": 2}
        answer = table(scene.client, **query, **({"cursor": cursor} if cursor else {}))
        seen += [row["id"] for row in answer["rows"]]
        cursor = answer["next"]
        if not cursor:
            break
    assert seen == made


def test_all_rows_leave_as_csv_without_formulas(scene: Scene) -> None:
    scene.taken(name="exported", params={"note": "=1+1"})
    query = urlencode({"column": ["name", "param.note"], "filter": f"endpoint={scene.name}"}, True)
    answer = scene.client.call("GET", f"/runs/export?{query}")
    assert answer.headers["content-type"].startswith("text/csv")
    assert list(csv.reader(answer.body.decode().splitlines())) == [
        ["name", "param.note"],
        ["exported", "'=1+1"],
    ]


def test_what_can_be_a_column_is_listed(scene: Scene) -> None:
    task, attempt = scene.taken(name="listed", params={"width": 3})
    log(scene, task, attempt, {"step": 1, "val/loss": 0.5})
    names = scene.client.get("/runs/columns")
    assert "width" in names["params"] and "val/loss" in names["metrics"]
    assert {"name": "duration", "kind": "seconds"} in names["own"]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"column": "lr"}, "There is no column 'lr'"),
        ({"filter": "lr"}, "is not a filter"),
        ({"filter": "param.lr>x"}, "which is not a number"),
        ({"sort": "-nothing"}, "There is no column 'nothing'"),
        ({"cursor": "xyz"}, "is not a cursor"),
    ],
)
def test_a_wrong_question_is_explained(scene: Scene, query: dict[str, str], words: str) -> None:
    answer = scene.client.call("GET", f"/runs?{urlencode(query)}")
    assert answer.status == 400 and words in answer.json["title"]


def test_nobody_sees_a_run_that_is_not_shared_with_them(service: RunningService) -> None:
    owner_id, owner = add_person(service, "runs-owner")
    member_id, member = add_person(service, "runs-member")
    _, stranger = add_person(service, "runs-stranger")
    project = owner.post("/projects", {"name": "runs-group"})["id"]
    put_in_project(service, project, member_id, Role.VIEWER)
    owner.post("/endpoints", {"name": "away", "carrier": "local"})
    spec = {"name": "shown", "run": "true", "on": "away", "params": {"secret_width": 7}}
    owner.post("/jobs", {"spec": spec, "project": "runs-group"})
    owner.post("/jobs", {"spec": {**spec, "name": "private"}})
    assert [row[0] for row in values(owner, column="name")] == ["private", "shown"]
    assert values(member, column=["name", "owner"], project="runs-group") == [
        ["shown", f"runs-owner {owner_id}"]
    ]
    assert values(member, column="name") == [] and values(stranger, column="name") == []
    assert stranger.get("/runs/columns")["params"] == []
    assert stranger.call("GET", "/runs?project=runs-group").status == 404
    assert stranger.call("GET", "/runs/export?project=runs-group").status == 404


def test_a_view_is_saved_replaced_shared_and_removed(service: RunningService) -> None:
    _, owner = add_person(service, "views-owner")
    member_id, member = add_person(service, "views-member")
    project = owner.post("/projects", {"name": "views-group"})["id"]
    put_in_project(service, project, member_id, Role.VIEWER)
    view = {"page": "runs", "name": "best", "query": {"column": ["param.lr"], "sort": "-best.acc"}}
    first = owner.call("PUT", "/views", view).json
    replaced = {**view, "query": {"sort": "name"}, "project": "views-group"}
    second = owner.call("PUT", "/views", replaced).json
    assert first["id"] == second["id"] and second["query"] == {"sort": "name"}
    seen = member.get("/views?page=runs")["items"]
    assert [(each["name"], each["is_own"], each["project"]) for each in seen] == [
        ("best", False, "views-group")
    ]
    assert member.call("DELETE", f"/views/{first['id']}").status == 403
    assert member.call("PUT", "/views", {**view, "project": "views-group"}).status == 403
    _, stranger = add_person(service, "views-stranger")
    assert stranger.get("/views")["items"] == []
    assert stranger.call("DELETE", f"/views/{first['id']}").status == 404
    assert owner.call("DELETE", f"/views/{first['id']}").status == 204
    assert owner.get("/views")["items"] == []


def test_older_tasks_get_their_summaries_after_an_upgrade(scene: Scene) -> None:
    task, attempt = scene.taken(name="old", params={"lr": 0.5})
    log(scene, task, attempt, {"step": 1, "loss": 0.5}, {"step": 2, "loss": 0.25})
    service = scene.service
    service.stop()
    settings = Settings(home=service.home, database_url=service.database_url)
    asyncio.run(_forget(settings.database, task))
    again = start_service(service.home, port=service.port, database_url=service.database_url)
    service.process, service.token = again.process, again.token
    asked = {"column": ["param.lr", "min.loss", "step.loss"], "filter": f"id={task}"}
    wait_for(lambda: values(again.client, **asked) == [[0.5, 0.25, 2]])


async def _forget(url: str, task: str) -> None:
    store = Store(url, Notifier())
    async with store.write() as tx:
        await tx.connection.execute(delete(run_summaries).where(run_summaries.c.task == task))
        kept = select(run_summaries).where(run_summaries.c.task == task)
        assert (await tx.connection.execute(kept)).first() is None
    await store.close()
