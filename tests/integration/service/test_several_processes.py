"""Several service processes behind a proxy: an agent calls one, a person asks another."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
from collections.abc import Iterator
from typing import Any

import asyncpg  # type: ignore[import-untyped]
import pytest

from support.http import Client
from support.postgres import Postgres
from support.scene import Scene, new_scene
from support.service import RunningService, running_service
from support.waiting import wait_for

FILE = random.Random(5).randbytes(3_000_000)
SECRET = "a-value-that-no-database-sees"


@pytest.fixture(scope="module")
def url(postgres: Postgres) -> str:
    return postgres.new_database()


@pytest.fixture(scope="module")
def pair(
    url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[RunningService, RunningService]]:
    """Two processes with one home, as blobs and the key of the relay are shared by it."""
    home = tmp_path_factory.mktemp("home")
    with (
        running_service(home, database_url=url) as one,
        running_service(home, database_url=url) as two,
    ):
        yield one, two


@pytest.fixture
def scene(pair: tuple[RunningService, RunningService]) -> Scene:
    """Its agent speaks to the first process."""
    return new_scene(pair[0])


@pytest.fixture
def person(pair: tuple[RunningService, RunningService]) -> Client:
    """She asks the second."""
    return pair[1].client


def machine(request: dict[str, Any]) -> tuple[bytes, bool]:
    kind = request["type"]
    if kind == "read-file":
        return FILE[request["offset"] : request["offset"] + request["length"]], True
    if kind == "read-log":
        return FILE[:100], True
    if kind == "delete-secret":
        return json.dumps({"code": "not-found", "title": "no such secret"}).encode(), False
    answers: dict[str, Any] = {
        "list-files": {"items": [{"path": "a", "kind": "file", "size": 1, "modified": 0.0}]},
        "stat-file": {
            "size": len(FILE),
            "modified": 0.0,
            "sha256": hashlib.sha256(FILE).hexdigest(),
        },
        "list-secrets": {"items": ["HF_TOKEN"]},
        "script": {"script": "#!/bin/bash"},
    }
    return json.dumps(answers.get(kind, {})).encode(), True


def test_files_and_scripts_are_asked_through_any_process(scene: Scene, person: Client) -> None:
    task, _ = scene.taken()
    with scene.agent.answering(machine):
        assert person.get(f"/tasks/{task}/files")["items"][0]["path"] == "a"
        fetched = person.call("GET", f"/tasks/{task}/files/content?path=a")
        assert hashlib.sha256(fetched.body).digest() == hashlib.sha256(FILE).digest()
        body = {"spec": {"name": "x", "run": "true", "on": scene.name}}
        assert person.post("/jobs/check?script=true", body)["script"] == "#!/bin/bash"


def test_log_bytes_that_stayed_on_the_cluster_come_through_any_process(
    scene: Scene, person: Client
) -> None:
    task, attempt = scene.taken()
    where = {"task": task, "attempt": attempt, "run": 1, "rank": 0, "stream": "stdout"}
    scene.agent.bytes(({**where, "offset": 5000, "skipped": True}, b"tail"))
    with scene.agent.answering(machine):
        answer = person.call("GET", f"/tasks/{task}/logs/stdout?limit=100")
    assert (answer.body, answer.headers["diamond-source"]) == (FILE[:100], "cluster")


def test_a_secret_passes_between_processes_and_leaves_no_trace(
    scene: Scene, person: Client, url: str
) -> None:
    path = f"/endpoints/{scene.name}/secrets"
    seen: list[bytes] = []

    def reply(request: dict[str, Any]) -> tuple[bytes, bool]:
        seen.append(asyncio.run(everything_relayed(url)))
        return machine(request)

    with scene.agent.answering(reply) as answering:
        assert person.call("PUT", f"{path}/HF_TOKEN", {"value": SECRET}).status == 204
        assert answering.seen[0]["value"] == SECRET
        assert person.call("DELETE", f"{path}/HF_TOKEN").status == 404
    assert seen[0] and SECRET.encode() not in seen[0]
    wait_for(lambda: asyncio.run(everything_relayed(url)) == b"", what="empty relay tables")


def test_an_answer_of_another_endpoint_is_dropped(
    scene: Scene, person: Client, pair: tuple[RunningService, RunningService]
) -> None:
    stranger = new_scene(pair[0])

    def reply(request: dict[str, Any]) -> tuple[bytes, bool]:
        stranger.agent.call(f"answers/{request['id']}?status=ok", b'{"items": ["STOLEN"]}')
        return machine(request)

    with scene.agent.answering(reply):
        assert person.get(f"/endpoints/{scene.name}/secrets")["items"] == ["HF_TOKEN"]


def test_a_question_is_answered_once_when_both_processes_hold_a_call(
    scene: Scene, person: Client, pair: tuple[RunningService, RunningService]
) -> None:
    """As when a proxy moved the agent on: the older held call may still be there."""
    scene.agent.url = pair[1].url
    with scene.agent.answering(machine) as answering:
        assert pair[0].client.get(f"/endpoints/{scene.name}/secrets")["items"] == ["HF_TOKEN"]
    assert len(answering.seen) == 1


async def everything_relayed(url: str) -> bytes:
    """All that the tables of the relay hold now."""
    connection = await asyncpg.connect(url)
    try:
        asked = await connection.fetch("SELECT id::bytea || body AS all FROM relay_requests")
        told = await connection.fetch("SELECT body AS all FROM relay_answers")
        return b"".join(row["all"] for row in [*asked, *told])
    finally:
        await connection.close()
