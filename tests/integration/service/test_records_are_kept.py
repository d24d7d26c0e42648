"""Every task leaves a record, whatever happens at the same time; a changed record is detected."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, select, update

from diamond.provenance.entries import digest
from diamond.service.access.principal import Role
from diamond.service.entries.anchor import anchor_records
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.tables import (
    anchored_heads,
    anchors,
    record_entries,
    records,
)
from support.database import open_store
from support.image_scene import ENVIRONMENT, built
from support.people import add_person, put_in_project
from support.scene import Scene, new_scene
from support.scripted_agent import ScriptedAgent
from support.service import RunningService, running_service

MANY = 100


@pytest.fixture
def scene(service: RunningService) -> Scene:
    return new_scene(service)


def record(scene: Scene, task: str) -> Any:
    return scene.client.get(f"/tasks/{task}/record")


def ended(scene: Scene, **spec: Any) -> str:
    task, attempt = scene.taken(**spec)
    scene.tell("submitted", task, attempt, native_id="77")
    scene.tell("started", task, attempt, run=1, native_id="77", node="n1")
    scene.tell("exited", task, attempt, run=1, exit_code=0)
    return task


def kinds(shown: Any) -> list[str]:
    return [entry["kind"] for entry in shown["entries"]]


def test_a_task_leaves_a_record_with_no_effort_by_anyone(scene: Scene) -> None:
    task = ended(scene, name="digits", run="python t.py --lr {lr}", params={"lr": 0.1, "seed": 7})
    shown = record(scene, task)
    assert kinds(shown) == ["submitted", "attempt", "ended"]
    assert shown["check"]["is_whole"]
    first = shown["entries"][0]["body"]
    assert first["spec"]["run"] == "python t.py --lr {lr}"
    assert first["order"]["command"] == "python t.py --lr 0.1"
    assert (first["params"], shown["seeds"]) == ({"lr": 0.1, "seed": 7}, {"seed": "7"})
    assert first["endpoint"]["name"] == scene.name
    attempt = shown["entries"][1]["body"]
    assert (attempt["nodes"], attempt["native_id"], attempt["exit_code"]) == (["n1"], "77", 0)
    assert shown["end"]["state"] == "succeeded"


def test_a_path_is_recorded_as_not_versioned_and_stays_out_of_what_is_exported(
    scene: Scene,
) -> None:
    task = scene.submit(data={"era5": "/scratch/ada/era5"}, run="python t.py /scratch/ada/era5")[
        "id"
    ]
    shown = record(scene, task)
    assert shown["inputs"] == [{"name": "era5", "tree": "", "version": ""}]
    first = shown["entries"][0]
    assert first["body"]["order"]["data"] == {"era5": "/scratch/ada/era5"}
    lines = scene.service.home / "diamond.db"
    assert {"order", "spec", "who", "endpoint"} <= set(first["sealed"])
    if lines.exists():
        assert "/scratch/ada" not in sql(
            scene, f"SELECT line FROM record_entries WHERE task = '{task}'"
        )


FACTS = {
    "host": "n1",
    "nodes": "n[1-2]",
    "cpu": "EPYC",
    "gpus": [{"name": "A100", "memory_mb": 40_000}],
    "libraries": {"torch": "2.13.0"},
    "packages": {"torch": "2.13.0", "numpy": "2.1"},
    "seeds": {"torch": "42"},
}


def stream(name: str, task: str, attempt: str, offset: int = 0) -> dict[str, Any]:
    return {"task": task, "attempt": attempt, "run": 1, "stream": name, "offset": offset}


def lines(*data: Any) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in data)


def test_what_the_job_saw_and_its_metrics_are_in_its_record(scene: Scene) -> None:
    task, attempt = scene.taken()
    script = f"sha256:{'5' * 64}"
    scene.tell("submitted", task, attempt, native_id="77", script=script)
    scene.tell("started", task, attempt, run=1, native_id="77", node="n1")
    facts = lines(FACTS)
    scene.agent.bytes((stream("facts", task, attempt), facts[:40]))
    scene.agent.bytes((stream("facts", task, attempt, 40), facts[40:]))
    losses = [{"step": step, "loss": 1 / (step + 1)} for step in range(4)]
    scene.agent.bytes((stream("metrics", task, attempt), lines(*losses)))
    scene.tell("exited", task, attempt, run=1, exit_code=0)
    shown = record(scene, task)
    assert kinds(shown) == ["submitted", "facts", "attempt", "ended", "metrics"]
    machine = shown["machines"][0]
    assert (machine["cpu"], machine["gpus"][0]["name"]) == ("EPYC", "A100")
    assert shown["seeds"] == {"torch": "42"}
    assert shown["entries"][1]["body"]["nodes"] == "n[1-2]"
    assert shown["attempts"][0]["script"] == script
    answer = scene.client.call("GET", f"/tasks/{task}/record/texts/{machine['packages']}")
    assert json.loads(answer.body) == FACTS["packages"]
    assert shown["metrics"]["values"]["loss"] == {"last": 0.25, "min": 0.25, "max": 1.0, "step": 3}
    late = lines({"step": 4, "loss": 0.125})
    offset = len(lines(*losses))
    scene.agent.bytes((stream("metrics", task, attempt, offset), late))
    again = record(scene, task)
    assert again["metrics"]["values"]["loss"]["last"] == 0.125
    assert again["check"]["is_whole"]


def test_energy_of_all_runs_is_in_the_record_where_the_machine_says_it(scene: Scene) -> None:
    task, attempt = scene.taken()
    scene.tell("started", task, attempt, run=1, native_id="77", node="n1")
    first = [{"time": time.time(), "cpu_percent": 5, "energy_joules": one} for one in (1e5, 2.5e5)]
    scene.agent.bytes((stream("usage", task, attempt), lines(*first)))
    scene.tell("started", task, attempt, run=2, native_id="77", node="n1")
    again = {"time": time.time(), "cpu_percent": 5, "energy_joules": 5e4}
    scene.agent.bytes(({**stream("usage", task, attempt), "run": 2}, lines(again)))
    scene.tell("exited", task, attempt, run=2, exit_code=0)
    assert record(scene, task)["metrics"] == {"values": {}, "energy_joules": 3e5}


@pytest.mark.parametrize(
    "hostile",
    [
        b"not json\n",
        b'{"cpu": 5}\n',
        b'{"seeds": {"x": "/home/ada/secret"}}\n',
        b'{"libraries": {"torch": "' + b"x" * 300 + b'"}}\n',
        b"[" * 100_000 + b"\n",
        b'{"cpu": "' + b"x" * (600 << 10) + b'"}\n',
    ],
)
def test_hostile_facts_are_left_out(scene: Scene, hostile: bytes) -> None:
    task, attempt = scene.taken()
    scene.agent.bytes((stream("facts", task, attempt), hostile))
    assert kinds(record(scene, task)) == ["submitted"]


def test_secrets_are_in_no_form_of_a_record(scene: Scene) -> None:
    secret = "hf_" + "s" * 24
    task = scene.submit(params={"hub_token": "hunter2", "note": secret, "tokenizer": "gpt2"})["id"]
    shown = json.dumps(record(scene, task))
    assert secret not in shown
    assert "hunter2" not in shown
    assert record(scene, task)["entries"][0]["body"]["params"]["tokenizer"] == "gpt2"


def sql(scene: Scene, statement: str) -> str:
    with sqlite3.connect(scene.service.home / "diamond.db") as connection:
        rows = connection.execute(statement).fetchall()
    connection.close()
    return str(rows)


def test_a_hundred_tasks_that_end_in_one_second_leave_a_hundred_records(scene: Scene) -> None:
    made = [scene.submit(name=f"one-{n}") for n in range(MANY)]
    taken: list[Any] = []
    while len(taken) < MANY:
        taken += scene.agent.commands(wait=5, done=[one["id"] for one in taken])["commands"]
    events = [
        {"type": kind, "task": task["id"], "attempt": task["attempt"], **fields}
        for task in made
        for kind, fields in (
            ("submitted", {"native_id": "1"}),
            ("started", {"run": 1, "node": "n1"}),
            ("exited", {"run": 1, "exit_code": 0}),
        )
    ]
    scene.agent.tell(*events)
    for task in made:
        shown = record(scene, task["id"])
        assert kinds(shown) == ["submitted", "attempt", "ended"]
        assert shown["check"]["is_whole"]


def test_endings_from_many_machines_at_once_leave_all_records(service: RunningService) -> None:
    """Each machine ends its tasks in a thread of its own."""
    scenes = [new_scene(service) for _ in range(5)]
    tasks: list[tuple[Scene, str]] = []
    lock = threading.Lock()

    def work(scene: Scene) -> None:
        for _ in range(8):
            task = ended(scene)
            with lock:
                tasks.append((scene, task))

    threads = [threading.Thread(target=work, args=(scene,)) for scene in scenes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(tasks) == 40
    assert all(kinds(record(scene, task))[-1] == "ended" for scene, task in tasks)


def test_a_task_that_is_older_than_records_gets_one_that_says_so(
    tmp_path: Path, database_url: str
) -> None:
    with running_service(tmp_path, database_url=database_url) as service:
        scene = new_scene(service)
        old, (going, attempt) = ended(scene), scene.taken()
        in_database(tmp_path, database_url, forget)
        shown = record(scene, old)
        assert shown["is_rebuilt"]
        assert kinds(shown) == ["submitted", "attempt", "ended"]
        scene.tell("started", going, attempt, run=1, node="n1")
        scene.tell("exited", going, attempt, run=1, exit_code=0)
        shown = record(scene, going)
        assert shown["is_rebuilt"]
        assert kinds(shown)[0] == "submitted"
        assert kinds(shown)[-1] == "ended"
        assert shown["check"]["is_whole"]


def test_archiving_keeps_the_record(scene: Scene) -> None:
    task = ended(scene)
    before = record(scene, task)["check"]
    scene.client.post(f"/tasks/{task}/archive", {})
    assert record(scene, task)["check"] == before


async def forget(tx: Transaction) -> None:
    for table in (record_entries, records, anchored_heads, anchors):
        await tx.connection.execute(delete(table))


def in_database(home: Path, url: str, *works: Callable[[Transaction], Awaitable[Any]]) -> list[Any]:
    async def run() -> list[Any]:
        async with open_store(home, url) as store:
            return [await store.run(work) for work in works]

    return asyncio.run(run())


def anchor(home: Path, url: str) -> int:
    async def run() -> int:
        async with open_store(home, url) as store:
            return await anchor_records(store)

    return asyncio.run(run())


def test_a_record_that_somebody_rewrote_from_its_beginning_is_caught_by_its_anchor(
    tmp_path: Path, database_url: str
) -> None:
    """With all hashes and its head made again, so that the record itself verifies."""
    with running_service(tmp_path, database_url=database_url) as service:
        scene = new_scene(service)
        task = ended(scene, name="digits")
        anchor(tmp_path, database_url)
        assert scene.client.get(f"/tasks/{task}/record/check")["covered"] == 3

        async def rewrite(tx: Transaction) -> None:
            await tx.connection.execute(delete(record_entries).where(record_entries.c.n > 1))
            first = (await tx.connection.execute(select(record_entries))).mappings().one()
            line = first["line"].replace("digits", "better")
            values = {"line": line, "hash": digest(line)}
            await tx.connection.execute(update(record_entries).values(values))
            await tx.connection.execute(update(records).values(n=1, head=digest(line)))

        in_database(tmp_path, database_url, rewrite)
        check = scene.client.get(f"/tasks/{task}/record/check")
        assert not check["is_whole"]
        assert check["fault"]["n"] > 1
        assert "anchor" in check["fault"]["message"]


def test_changed_anchors_are_detected(tmp_path: Path, database_url: str) -> None:
    with running_service(tmp_path, database_url=database_url) as service:
        scene = new_scene(service)
        tasks = []
        for _ in range(3):
            tasks.append(ended(scene))
            anchor(tmp_path, database_url)
        line = scene.client.get("/records/anchors")
        assert line["count"] >= 3  # the service makes some of its own
        assert line["fault"] is None
        middle = line["last"]["n"] - 1

        async def change(tx: Transaction) -> None:
            await tx.connection.execute(update(anchors).where(anchors.c.n == middle).values(at=1.0))

        in_database(tmp_path, database_url, change)
        assert scene.client.get("/records/anchors")["fault"]["n"] == middle
        checks = [scene.client.get(f"/tasks/{task}/record/check") for task in tasks]
        assert any(check["anchor_fault"] for check in checks)


def test_a_recipe_is_for_its_owner_alone(service: RunningService) -> None:
    """Who may see a task reads its packages; the recipe is as private as the image."""
    _, owner = add_person(service, "recipe-owner")
    viewer_id, viewer = add_person(service, "recipe-viewer")
    project = owner.post("/projects", {"name": "recipe-group"})["id"]
    put_in_project(service, project, viewer_id, Role.VIEWER)
    key = owner.post("/endpoints", {"name": "recipes", "carrier": "local"})["key"]
    agent = ScriptedAgent(service.url, key)
    agent.hello()
    built(Scene(service, owner, agent, "recipes"), "private", 7, ENVIRONMENT)
    spec = {"name": "inside", "run": "true", "environment": "private", "on": "recipes"}
    task = owner.post("/jobs", {"spec": spec, "project": "recipe-group"})["tasks"][0]["id"]
    image = owner.get(f"/tasks/{task}/record")["image"]
    texts = f"/tasks/{task}/record/texts"
    assert "echo one" in owner.call("GET", f"{texts}/{image['recipe']}").body.decode()
    assert viewer.call("GET", f"{texts}/{image['packages']}").status == 200
    assert viewer.call("GET", f"{texts}/{image['recipe']}").status == 404
