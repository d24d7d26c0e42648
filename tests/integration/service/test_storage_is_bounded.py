"""Logs and curves leave the service after a while, records stay; who has used up their quota sends no more code."""

from __future__ import annotations

import http.client
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import urlsplit

import pytest
from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.access.principal import LOCAL_USER
from diamond.service.output import archive
from diamond.service.output.archive import archive_due_tasks
from diamond.service.people.first_start import first_start
from diamond.service.platform.database.engine import Store
from diamond.service.platform.database.tables import jobs, tasks
from diamond.service.platform.services import Services
from diamond.service.settings import Settings
from diamond.service.storage.rows import StorageRuleRow
from diamond.service.storage.rules import DAY, PERSON
from diamond.service.storage.store import put_rule
from diamond.service.tasks.schemas import FinalMetric
from diamond.service.tasks.stepping import MOST_HISTORY
from support.database import with_store
from support.ended_rows import job_values, task_values
from support.people import add_person
from support.scene import Scene, new_scene
from support.scripted_agent import ScriptedAgent
from support.service import RunningService


def ended_task(scene: Scene) -> str:
    task, attempt = scene.taken()
    scene.tell("queued", task, attempt, native_id="1")
    scene.tell("started", task, attempt, run=1, node="n1")
    part = {"task": task, "attempt": attempt, "run": 1, "rank": 0, "offset": 0}
    lines = "".join(f'{{"step":{n},"loss":{9 - n}}}\n' for n in range(5)).encode()
    scene.agent.bytes(({**part, "stream": "stdout"}, b"hello\n" * 1000))
    scene.agent.bytes(({**part, "stream": "metrics"}, lines))
    scene.tell("exited", task, attempt, run=1, code=0)
    return task


def stored(scene: Scene) -> Any:
    return scene.client.get("/storage")


def test_an_archived_task_keeps_its_record(service: RunningService) -> None:
    scene = new_scene(service)
    task = ended_task(scene)
    before = stored(scene)
    assert task in {each["id"] for each in before["largest"]}
    answer = scene.client.post(f"/tasks/{task}/archive")
    assert answer["bytes"] >= 6000
    shown = scene.task(task)
    assert shown["archived"] and shown["state"] == "succeeded"
    assert shown["final_metrics"]["loss"] == {"last": 5.0, "min": 5.0, "max": 9.0, "step": 4.0}
    assert scene.client.get(f"/tasks/{task}/metrics")["items"] == []
    assert scene.client.get(f"/tasks/{task}/logs")["items"] == []
    assert before["service"]["logs"] - stored(scene)["service"]["logs"] == 6000
    assert scene.client.post(f"/tasks/{task}/archive")["archived"] == shown["archived"]


def test_a_running_task_is_not_archived(service: RunningService) -> None:
    scene = new_scene(service)
    task, _ = scene.taken()
    refused = scene.client.call("POST", f"/tasks/{task}/archive")
    assert refused.status == 409 and "has not ended" in refused.json["title"]


def test_a_person_sees_and_sets_their_own_rule_alone(service: RunningService) -> None:
    _, ada = add_person(service, "ada")
    assert ada.call("PUT", "/storage/retention", {"days": 30}).status == 200
    assert ada.get("/storage")["days"] == 30
    assert ada.call("PUT", "/storage/retention", {"days": 0}).status == 422
    assert ada.call("PUT", "/storage/defaults", {"days": None}).status == 403
    assert ada.call("GET", "/storage/people").status == 403


def test_who_has_used_up_their_quota_sends_no_more_code(service: RunningService) -> None:
    user, ada = add_person(service, "ada")
    assert service.client.call("PUT", f"/users/{user}/quota", {"quota_bytes": 0}).status == 200
    headers = {"Content-Type": "application/x-tar"}
    added = ada.post("/endpoints", {"name": "own", "carrier": "local"})
    agent = ScriptedAgent(service.url, added["key"], epoch="own")
    agent.hello()
    ended_task(Scene(service, ada, agent, "own"))
    assert service.client.call("PUT", f"/users/{user}/quota", {"quota_bytes": 16_000}).status == 200
    assert ada.call("POST", "/blobs", b"\0" * 5120, headers).status == 201
    refused = ada.call("POST", "/blobs", b"\0" * 10240, headers)
    assert (refused.status, refused.json["code"]) == (409, "over-quota"), "it would be too much"
    [line] = [each for each in service.client.get("/storage/people")["items"] if each["id"] == user]
    assert line["quota_bytes"] == 16_000 and line["service"]["logs"] == 6000


def test_a_body_that_does_not_say_its_length_is_counted_too(service: RunningService) -> None:
    user, ada = add_person(service, "ada")
    service.client.call("PUT", f"/users/{user}/quota", {"quota_bytes": 20_000})
    connection = http.client.HTTPConnection(urlsplit(service.url).netloc)
    headers = {**ada.headers, "Content-Type": "application/x-tar"}
    pieces = iter([b"\0" * 10240] * 3)
    connection.request("POST", "/api/v1/blobs", pieces, headers, encode_chunked=True)
    assert connection.getresponse().status == 409
    connection.close()


def test_beyond_the_quota_logs_stay_on_the_cluster_and_the_task_says_so(
    service: RunningService,
) -> None:
    """A member's own agent may send as many streams as it likes: none of them fills the service's disk."""
    user, ada = add_person(service, "ada")
    service.client.call("PUT", f"/users/{user}/quota", {"quota_bytes": 0})
    added = ada.post("/endpoints", {"name": "own", "carrier": "local"})
    agent = ScriptedAgent(service.url, added["key"], epoch="own")
    agent.hello()
    scene = Scene(service, ada, agent, "own")
    task, attempt = scene.taken()
    scene.tell("started", task, attempt, run=1, node="n1")
    part = {"task": task, "attempt": attempt, "run": 1, "stream": "stdout", "offset": 0}
    metrics = {**part, "rank": 0, "stream": "metrics"}
    parts = [({**part, "rank": rank}, b"x" * 60_000) for rank in range(10)]
    scene.agent.bytes(*parts, (metrics, b'{"step": 1, "loss": 1.0}\n'))
    scene.agent.bytes(({**part, "rank": 0, "offset": 60_000}, b"y" * 60_000))
    logs = ada.get(f"/tasks/{task}/logs")["items"]
    assert [(log["size"], log["kept"]) for log in logs if log["rank"] == 0] == [(120_000, [])]
    assert ada.get(f"/tasks/{task}/metrics")["items"] == []
    notes = [line for line in ada.get(f"/tasks/{task}/history")["items"] if line["type"] == "note"]
    assert [note["data"]["code"] for note in notes] == ["over-quota"]
    assert "stays on its endpoint" in notes[0]["message"]


def test_the_history_of_a_task_has_an_end(service: RunningService) -> None:
    """A member's own agent may report as often as it likes."""
    scene = new_scene(service)
    task, attempt = scene.taken()
    scene.tell("started", task, attempt, run=1, node="n1")
    note = {"type": "note", "task": task, "attempt": attempt}
    for start in range(0, MOST_HISTORY + 1000, 500):
        scene.agent.tell(*({**note, "message": f"line {start + n}"} for n in range(500)))
    scene.tell("exited", task, attempt, run=1, exit_code=0)
    scene.tell("observed", task, attempt, status="ended", exit_code=0)
    assert scene.task(task)["state"] == "succeeded", "its state is still known"
    assert len(scene.client.get(f"/tasks/{task}/history")["items"]) == MOST_HISTORY


def test_an_agent_that_sends_everything_again_fills_no_archived_task(
    service: RunningService,
) -> None:
    scene = new_scene(service)
    task = ended_task(scene)
    attempt = scene.task(task)["attempt"]
    scene.client.post(f"/tasks/{task}/archive")
    before = stored(scene)["service"]
    part = {"task": task, "attempt": attempt, "run": 1, "rank": 0, "stream": "stdout", "offset": 0}
    answer = scene.agent.bytes((part, b"hello\n" * 1000))
    assert answer["have"] == [6000], "so that it goes on"
    assert scene.client.get(f"/tasks/{task}/logs")["items"] == []
    assert stored(scene)["service"] == before


def test_what_is_old_enough_is_archived_by_itself(tmp_path: Path, database_url: str) -> None:
    """By the rules of its owner; what ended later stays, and a second look finds nothing."""

    async def look(store: Store) -> tuple[int, int, list[str]]:
        await first_start(store)
        rule = StorageRuleRow(PERSON, LOCAL_USER, LOCAL_USER, 30, None, 0.0)
        async with store.write() as tx:
            await put_rule(tx, rule)
            await tx.connection.execute(insert(jobs), job_values())
            for n, days in enumerate((10, 31, 400)):
                values = task_values(f"t{n}", time.time() - days * DAY)
                await tx.connection.execute(insert(tasks), values)
        services = SimpleNamespace(store=store, settings=Settings(tmp_path))
        first, second = [await archive_due_tasks(cast("Services", services)) for _ in range(2)]
        async with store.read() as connection:
            rows = await connection.execute(
                select(tasks.c.id).where(tasks.c.archived.is_not(None)).order_by(tasks.c.id)
            )
            return first, second, list(rows.scalars())

    assert with_store(tmp_path, database_url, look) == (2, 0, ["t1", "t2"])


def test_a_task_that_cannot_be_archived_stops_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    final_metrics = archive.final_metrics

    async def fails_for_one(connection: AsyncConnection, task: str) -> dict[str, FinalMetric]:
        if task == "t0":
            raise ValueError("a curve that nobody can read")
        return await final_metrics(connection, task)

    async def look(store: Store) -> list[str]:
        await first_start(store)
        async with store.write() as tx:
            await put_rule(tx, StorageRuleRow(PERSON, LOCAL_USER, LOCAL_USER, 30, None, 0.0))
            await tx.connection.execute(insert(jobs), job_values())
            for n in range(2):
                values = task_values(f"t{n}", time.time() - (99 - n) * DAY)
                await tx.connection.execute(insert(tasks), values)
        services = SimpleNamespace(store=store, settings=Settings(tmp_path))
        await archive_due_tasks(cast("Services", services))
        async with store.read() as connection:
            rows = await connection.execute(select(tasks.c.id).where(tasks.c.archived.is_not(None)))
            return list(rows.scalars())

    monkeypatch.setattr(archive, "final_metrics", fails_for_one)
    assert with_store(tmp_path, "", look) == ["t1"]
    assert "archiving a task failed" in caplog.text
