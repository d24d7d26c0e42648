"""Small requests of a member that once stopped the service for everyone. docs/security.md names each of these."""

from __future__ import annotations

import hashlib
import http.client
import io
import json
import tarfile
import time
from collections.abc import Callable
from functools import partial
from urllib.parse import urlsplit

import pytest

from support.http import Client
from support.scene import Scene, new_scene
from support.service import RunningService

AT_MOST_SECONDS = 15.0
"""On a busy machine; each of these took minutes, or had no end."""
BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.fixture
def scene(service: RunningService) -> Scene:
    return new_scene(service)


def put_blob(client: Client, content: bytes) -> str:
    digest, archive = hashlib.sha256(content).hexdigest(), io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        member = tarfile.TarInfo(digest)
        member.size = len(content)
        tar.addfile(member, io.BytesIO(content))
    answer = client.call(
        "POST", "/blobs", archive.getvalue(), {"Content-Type": "application/x-tar"}
    )
    assert answer.status == 201
    return f"sha256:{digest}"


def within(work: Callable[[], object]) -> None:
    began = time.monotonic()
    work()
    assert time.monotonic() - began < AT_MOST_SECONDS


def test_a_yaml_text_of_many_aliases(service: RunningService) -> None:
    for text in (BOMB, BOMB + "#" * 10_000):
        within(partial(_rejects, service.client, text))


def _rejects(client: Client, text: str) -> None:
    parsed = client.post("/spec/parse", {"yaml": text})
    assert "more than 20000 values" in parsed["faults"][0]["message"]


def test_an_ignore_pattern_of_many_stars(service: RunningService) -> None:
    body = {"paths": ["a" * 60, "train.py"], "rules": {".gitignore": "*a" * 12 + "b\n[z-a]\n"}}
    within(lambda: service.client.post("/snapshots/plan", body))
    assert service.client.post("/snapshots/plan", body)["take"] == ["a" * 60, "train.py"]
    deep = {"paths": ["a/" * 5000 + "b"], "rules": {}}
    assert service.client.call("POST", "/snapshots/plan", deep).status == 400


def test_a_roster_with_a_long_cell(service: RunningService) -> None:
    service.client.post("/projects", {"name": "costly-course"})
    body = {"csv": "address\na@" + "." * 120_000 + "\n", "days": 1}
    within(lambda: service.client.post("/projects/costly-course/roster", body))
    taken = service.client.post("/projects/costly-course/roster", body)
    assert taken["faults"][0]["message"] == "there is no e-mail address here"


def test_comparisons_that_nobody_waits_for(scene: Scene, service: RunningService) -> None:
    """Six of them stopped every upload and download."""
    texts = [
        "\n".join(str(number * factor % modulus) for number in range(90_000)).encode()
        for factor, modulus in ((1, 400), (7, 401))
    ]
    tasks = []
    for text in texts:
        file = put_blob(scene.client, text).removeprefix("sha256:")
        entry = {"path": "x.txt", "mode": "644", "size": len(text), "sha256": file}
        manifest = json.dumps({"version": 1, "files": [entry]})
        tasks.append(_task_with(scene, put_blob(scene.client, manifest.encode())))
    abandoned = []
    for _ in range(6):
        connection = http.client.HTTPConnection(urlsplit(service.url).netloc)
        path = f"/api/v1/tasks/{tasks[1]}/diff?against={tasks[0]}"
        connection.request("GET", path, headers=dict(scene.client.headers))
        abandoned.append(connection)
    time.sleep(0.5)
    for connection in abandoned:
        connection.close()
    within(lambda: scene.client.post("/blobs/missing", {"digests": []}))
    shown = scene.client.call("GET", f"/tasks/{tasks[1]}/diff?against={tasks[0]}")
    assert shown.status == 200
    assert b"x.txt differs in so many lines" in shown.body


@pytest.mark.parametrize("content", [b"[" * 100_000, b'{"files": 5}', b"not json"])
def test_a_snapshot_that_is_none(scene: Scene, content: bytes) -> None:
    body = {"spec": {"run": "true", "on": scene.name, "code": "."}}
    code = {"snapshot": put_blob(scene.client, content)}
    answer = scene.client.call("POST", "/jobs", {**body, "code": code})
    assert (answer.status, answer.json["code"]) == (422, "invalid-spec")
    assert answer.json["faults"][0]["field"] == "code.snapshot"


def _task_with(scene: Scene, snapshot: str) -> str:
    spec = {"name": "job", "run": "true", "on": scene.name, "code": "."}
    made = scene.client.post("/jobs", {"spec": spec, "code": {"snapshot": snapshot}})
    return str(made["tasks"][0]["id"])


def test_a_metric_name_that_a_spreadsheet_would_run(scene: Scene) -> None:
    task, attempt = scene.taken()
    part = {
        "task": task,
        "attempt": attempt,
        "run": 1,
        "rank": 0,
        "stream": "metrics",
        "offset": 0,
    }
    scene.agent.bytes((part, b'{"step": 1, "=HYPERLINK(1)": 2.0, "loss": 1.0}\n'))
    text = scene.client.call("GET", f"/tasks/{task}/metrics.csv").body.decode()
    assert "\n'=HYPERLINK(1)," in text
    assert "\nloss," in text


def test_an_agent_with_a_generation_of_many_digits(scene: Scene) -> None:
    scene.agent.generation = "9" * 5000  # type: ignore[assignment]
    assert scene.agent.call("commands", {"done": [], "wait": 0}).status == 422
