from __future__ import annotations

import hashlib
import io
import json
import random
import sqlite3
import zipfile
from typing import Any

import pytest

from diamond.service.output.files import with_origin
from diamond.service.output.schemas import FileEntry
from diamond.service.platform.relay.relay import ANSWER_SECONDS
from support.scene import Scene, new_scene
from support.service import RunningService

FILE = random.Random(2).randbytes(9_000_000)
DIGEST = hashlib.sha256(FILE).hexdigest()


@pytest.fixture
def scene(service: RunningService) -> Scene:
    return new_scene(service)


def machine(request: dict[str, Any]) -> tuple[bytes, bool]:
    """The agent's side: one file, one folder, one store of secrets."""
    kind = request["type"]
    if request.get("path", "").startswith(".."):
        problem = {"title": "outside of the run directory", "status": 403, "code": "forbidden"}
        return json.dumps(problem).encode(), False
    if kind == "read-file":
        return FILE[request["offset"] : request["offset"] + request["length"]], True
    answers: dict[str, Any] = {
        "list-files": {
            "items": [{"path": "model.pt", "kind": "file", "size": len(FILE), "modified": 1.0}]
        },
        "stat-file": {"size": len(FILE), "modified": 1.0, "sha256": DIGEST},
        "list-secrets": {"items": ["HF_TOKEN"]},
        "script": {"script": "#!/bin/bash\n"},
        "usage": {"items": [{"task": "tgone", "bytes": 5}]},
        "report": {"environment": {"API_TOKEN": "abc"}, "squeue": "ok hf_abcdefghijklmnopqrstuv"},
    }
    return json.dumps(answers.get(kind, {})).encode(), True


def test_a_file_comes_whole_and_by_range(scene: Scene) -> None:
    task, _ = scene.taken()
    with scene.agent.answering(machine):
        assert scene.client.get(f"/tasks/{task}/files")["items"][0]["path"] == "model.pt"
        path = f"/tasks/{task}/files/content?path=model.pt"
        whole = scene.client.call("GET", path)
        assert (whole.status, whole.headers["etag"]) == (200, f'"sha256:{DIGEST}"')
        assert whole.body == FILE
        rest = scene.client.call("GET", path, headers={"Range": "bytes=8999990-"})
        assert (rest.status, rest.body) == (206, FILE[-10:])
        assert rest.headers["content-range"] == "bytes 8999990-8999999/9000000"
        end = scene.client.call("GET", path, headers={"Range": "bytes=-4"})
        assert end.body == FILE[-4:]
        changed = {"Range": "bytes=8999990-", "If-Range": '"sha256:other"'}
        assert scene.client.call("GET", path, headers=changed).status == 200
        assert scene.client.call("GET", path, headers={"Range": "bytes=9999999-"}).status == 416


def test_results_come_as_one_zip_without_names_that_would_leave_it(scene: Scene) -> None:
    task, _ = scene.taken()

    def agent(request: dict[str, Any]) -> tuple[bytes, bool]:
        if request["type"] != "list-files":
            return machine(request)
        names = {"": ["out", "model.pt", "../../evil", "/etc/x"], "out": ["out/log.csv"]}
        items = [
            {
                "path": name,
                "kind": "folder" if name == "out" else "file",
                "size": 10,
                "modified": 1.0,
            }
            for name in names[request["path"]]
        ]
        return json.dumps({"items": items}).encode(), True

    with scene.agent.answering(agent):
        answer = scene.client.call("GET", f"/tasks/{task}/files.zip")
    assert answer.status == 200 and ".zip" in answer.headers["content-disposition"]
    with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
        assert sorted(archive.namelist()) == ["model.pt", "out/log.csv"]
        assert archive.testzip() is None and archive.read("model.pt") == FILE[:10]


def test_what_came_with_the_job_is_told_apart_from_what_it_made() -> None:
    sent = {"train.py": 5, "data/a.csv": 7}

    def origin(path: str, size: int, modified: float = 1.0, kind: str = "file") -> str:
        entry = FileEntry.model_validate(
            {"path": path, "kind": kind, "size": size, "modified": modified}
        )
        return with_origin(entry, sent, 100.0).origin

    assert origin("train.py", 5) == "input"
    assert origin("train.py", 6) == origin("train.py", 5, modified=200.0) == "result"
    assert origin("model.pt", 5) == "result"
    assert (origin("data", 0, kind="folder"), origin("out", 0, kind="folder")) == (
        "input",
        "result",
    )


def test_what_the_agent_refuses_is_refused(scene: Scene) -> None:
    task, _ = scene.taken()
    with scene.agent.answering(machine):
        answer = scene.client.call("GET", f"/tasks/{task}/files?path=../x")
    assert (answer.status, answer.json["title"]) == (403, "outside of the run directory")


def test_an_endpoint_that_is_away_is_said_promptly(scene: Scene) -> None:
    task, _ = scene.taken()
    scene.client.post(f"/endpoints/{scene.name}/away")
    for path in (
        f"/tasks/{task}/files",
        f"/tasks/{task}/script",
        f"/endpoints/{scene.name}/secrets",
    ):
        answer = scene.client.call("GET", path, timeout=ANSWER_SECONDS - 5)
        assert (answer.status, answer.json["code"]) == (503, "endpoint-away")


def test_a_secret_passes_through_and_is_checked_for_by_name(scene: Scene) -> None:
    value = "s3cr3t-value-that-stays-there"
    with scene.agent.answering(machine) as answering:
        path = f"/endpoints/{scene.name}/secrets"
        assert scene.client.call("PUT", f"{path}/HF_TOKEN", {"value": value}).status == 204
        assert scene.client.get(path)["items"] == ["HF_TOKEN"]
        assert scene.client.call("PUT", f"{path}/a-b", {"value": value}).status == 400
        assert answering.seen[0]["value"] == value
    scene.submit(secrets=["HF_TOKEN"])
    wrong = {"spec": {"name": "x", "run": "true", "on": scene.name, "secrets": ["OTHER"]}}
    assert scene.client.call("POST", "/jobs", wrong).status == 422
    assert value not in scene.service.log.read_text()
    database = scene.service.home / "diamond.db"
    if database.exists():
        with sqlite3.connect(database) as connection:
            assert value not in "\n".join(connection.iterdump())


def test_names_of_secrets_are_known_from_the_first_word_of_an_agent(scene: Scene) -> None:
    scene.agent.hello(secrets=["HF_TOKEN", "no name"])
    spec = {"name": "x", "run": "true", "on": scene.name, "secrets": ["HF_TOKEN", "OTHER"]}
    answer = scene.client.call("POST", "/jobs", {"spec": spec})
    (fault,) = answer.json["faults"]
    assert (fault["field"], "diamond secret set OTHER" in fault["hint"]) == ("secrets", True)


def test_a_clean_is_a_dry_run_first_and_spares_what_runs(scene: Scene) -> None:
    running, _ = scene.taken()
    ended, attempt = scene.taken()
    scene.tell("exited", ended, attempt, run=1, exit_code=0)

    def reply(request: dict[str, Any]) -> tuple[bytes, bool]:
        items = [{"task": running, "bytes": 7}, {"task": ended, "bytes": 9}]
        return json.dumps({"items": items}).encode(), True

    path = f"/endpoints/{scene.name}/clean"
    with scene.agent.answering(reply):
        dry = scene.client.post(path, {})
        assert ([one["task"] for one in dry["items"]], dry["bytes"]) == ([ended], 9)
        assert scene.client.post(path, {"older_than_days": 1})["items"] == []
        scene.client.post(path, {"tasks": [ended], "dry_run": False})
    scene.agent.hello()
    commands = scene.agent.commands()["commands"]
    assert [(one["type"], one["tasks"]) for one in commands] == [("clean", [ended])]


def test_a_cleaned_task_says_so_and_its_files_are_not_looked_for(scene: Scene) -> None:
    task, attempt = scene.taken()
    scene.tell("exited", task, attempt, run=1, exit_code=0)
    assert (scene.task(task)["cleaned"], scene.task(task)["run_dir"] != "") == (None, True)
    scene.agent.tell({"type": "note", "task": task, "code": "cleaned", "message": "removed"})
    shown = scene.task(task)
    assert (shown["state"], shown["run_dir"]) == ("succeeded", "")
    assert shown["cleaned"] > shown["created"]
    assert scene.client.get(f"/tasks/{task}/history")["items"][-1]["data"]["code"] == "cleaned"
    scene.client.post(f"/endpoints/{scene.name}/away")
    for path in ("files", "files/content?path=x", "script"):
        answer = scene.client.call("GET", f"/tasks/{task}/{path}")
        assert (answer.status, answer.json["code"]) == (404, "cleaned")
    assert "removed by diamond clean" in answer.json["title"]
    assert "removed" in scene.client.get(f"/tasks/{task}/report")["machine"]["missing"]


def test_a_report_holds_what_helps_and_hides_what_must_stay(scene: Scene) -> None:
    task, _ = scene.taken(environment={"requirements": [], "variables": {"MY_KEY": "hidden-value"}})
    with scene.agent.answering(machine):
        report = scene.client.get(f"/tasks/{task}/report")
    text = json.dumps(report)
    assert report["task"]["id"] == task
    assert report["history"][0]["type"] == "created"
    for private in ("hidden-value", "hf_abcdefghijklmnopqrstuv", '"abc"'):
        assert private not in text
    scene.client.post(f"/endpoints/{scene.name}/away")
    assert "missing" in scene.client.get(f"/tasks/{task}/report")["machine"]


def test_what_the_service_tells_is_masked_by_the_endpoint_that_knows_the_secrets(
    scene: Scene,
) -> None:
    task = printed_a_secret(scene)

    def mask(request: dict[str, Any]) -> tuple[bytes, bool]:
        if request["type"] == "list-secrets":
            return json.dumps({"items": ["HF_TOKEN"]}).encode(), True
        text = json.dumps({"host": "x", "facts": request["facts"]})
        return text.replace("plain-words", "[secret]").encode(), True

    with scene.agent.answering(mask):
        report = scene.client.get(f"/tasks/{task}/report")
    assert report["log_ends"]["stdout"] == "it is [secret]\n"
    assert (report["task"]["id"], report["machine"]) == (task, {"host": "x"})


def test_a_log_that_nobody_can_mask_is_left_out_of_a_report(scene: Scene) -> None:
    task = printed_a_secret(scene)
    scene.client.post(f"/endpoints/{scene.name}/away")
    report = scene.client.get(f"/tasks/{task}/report")
    assert "left out" in report["log_ends"]["stdout"]
    assert "plain-words" not in json.dumps(report)


def printed_a_secret(scene: Scene) -> str:
    with scene.agent.answering(machine):
        assert scene.client.get(f"/endpoints/{scene.name}/secrets")["items"] == ["HF_TOKEN"]
    task, attempt = scene.taken(secrets=["HF_TOKEN"])
    place = {"task": task, "attempt": attempt, "run": 1, "rank": 0}
    scene.agent.bytes(({**place, "stream": "stdout", "offset": 0}, b"it is plain-words\n"))
    return task


def test_the_script_is_asked_of_the_agent(scene: Scene) -> None:
    task, _ = scene.taken()
    with scene.agent.answering(machine):
        answer = scene.client.call("GET", f"/tasks/{task}/script")
        assert answer.body == b"#!/bin/bash\n"
        body = {"spec": {"name": "x", "run": "true", "on": scene.name}}
        assert scene.client.post("/jobs/check?script=true", body)["script"] == "#!/bin/bash\n"


def test_a_folder_of_the_endpoint_is_browsed_by_its_owner(scene: Scene) -> None:
    items = [{"name": "era5", "kind": "folder", "is_usable": True}]
    items += [{"name": "a<b>", "kind": "socket", "size": 5, "is_usable": False}]

    def agent(request: dict[str, Any]) -> tuple[bytes, bool]:
        assert (request["type"], request["path"], request["start"]) == ("browse", "/data", 500)
        return json.dumps({"folder": "/data", "items": items, "next": 1000}).encode(), True

    path = f"/endpoints/{scene.name}/browse?path=/data&start=500"
    with scene.agent.answering(agent):
        page = scene.client.get(path)
    assert (page["folder"], page["next"], page["is_cut"]) == ("/data", 1000, False)
    assert [(item["path"], item["kind"]) for item in page["items"]] == [
        ("/data/era5", "folder"),
        ("/data/a<b>", "file"),
    ]


@pytest.mark.parametrize(
    "answer", [{}, {"folder": 5}, {"folder": "/", "items": [{"name": ["x"]}]}, {"items": "many"}]
)
def test_an_agent_that_answers_nonsense_about_a_folder_is_named(
    scene: Scene, answer: dict[str, Any]
) -> None:
    with scene.agent.answering(lambda _: (json.dumps(answer).encode(), True)):
        refused = scene.client.call("GET", f"/endpoints/{scene.name}/browse")
    assert refused.status == 503 and scene.name in refused.json["title"]
