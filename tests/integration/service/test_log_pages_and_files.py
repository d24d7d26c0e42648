"""Logs by lines, searched and whole; files and code as a browser may see them; the pages themselves."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from diamond.code.searching import Question, find_lines
from support.http import Client
from support.scene import Scene, new_scene
from support.service import RunningService

KEPT = 8 << 20


@pytest.fixture
def scene(service: RunningService) -> Scene:
    return new_scene(service)


def part(task: str, attempt: str, offset: int, **more: Any) -> dict[str, Any]:
    return {
        "task": task,
        "attempt": attempt,
        "run": 1,
        "rank": 0,
        "stream": "stdout",
        "offset": offset,
        **more,
    }


def write(scene: Scene, log: bytes) -> str:
    task, attempt = scene.taken(name="long log")
    for at in range(0, len(log), 1_000_000):
        scene.agent.bytes((part(task, attempt, at), log[at : at + 1_000_000]))
    return task


def test_lines_are_whole_wherever_one_looks(scene: Scene) -> None:
    log = b"".join(f"line {n} {'x' * (n % 50)}\n".encode() for n in range(5000)) + b"not over"
    task = write(scene, log)
    starts = [0, *(at + 1 for at, byte in enumerate(log) if byte == 10)]
    middle = starts[2500] + 3
    found = scene.client.get(f"/tasks/{task}/logs/stdout/lines?offset={middle}&count=3")
    assert [one["offset"] for one in found["items"]] == starts[2500:2503]
    assert found["items"][0]["text"].startswith("line 2500 ")
    assert (found["start"], found["next"], found["size"]) == (starts[2500], starts[2503], len(log))
    above = scene.client.get(f"/tasks/{task}/logs/stdout/lines?before={found['start']}&count=2")
    assert [one["offset"] for one in above["items"]] == starts[2498:2500]
    last = scene.client.get(f"/tasks/{task}/logs/stdout/lines?offset=-1&count=5")
    assert [one["text"] for one in last["items"]] == ["not over"]
    assert last["next"] == len(log)


def test_all_lines_are_met_going_down_and_going_up(scene: Scene) -> None:
    log = b"".join(b"%d\r\n" % n if n % 3 else b"\xff%d" % n + b"y" * n + b"\n" for n in range(700))
    task, down, at = write(scene, log), [], 0
    while at < len(log):
        page = scene.client.get(f"/tasks/{task}/logs/stdout/lines?offset={at}&count=97")
        down += page["items"]
        at = page["next"]
    assert len(down) == 700
    assert sum(one["length"] for one in down) == len(log)
    up: list[Any] = []
    while at > 0:
        page = scene.client.get(f"/tasks/{task}/logs/stdout/lines?before={at}&count=97")
        up = page["items"] + up
        at = page["start"]
    assert up == down


def test_a_line_without_end_comes_in_pieces(scene: Scene) -> None:
    task = write(scene, b"a\n" + b"z" * 200_000 + b"\nb\n")
    page = scene.client.get(f"/tasks/{task}/logs/stdout/lines?count=10")
    assert sum(one["length"] for one in page["items"]) == 200_005
    assert [one["cut"] for one in page["items"]] == [False, True, True, True, True, False]


def test_a_log_is_searched_line_by_line(scene: Scene) -> None:
    log = b"".join(
        b"epoch %d: Loss is NaN\n" % n if n % 10 == 0 else b"epoch %d fine\n" % n for n in range(95)
    )
    task = write(scene, log)
    asked = f"/tasks/{task}/logs/stdout/search?text={quote('loss is nan')}"
    first = scene.client.get(f"{asked}&limit=4")
    assert [one["text"].split(":")[0] for one in first["items"]] == [
        "epoch 0",
        "epoch 10",
        "epoch 20",
        "epoch 30",
    ]
    hit = first["items"][1]
    assert log[hit["at"] : hit["at"] + hit["width"]] == b"Loss is NaN"
    assert log[hit["offset"] :].startswith(b"epoch 10:")
    rest = scene.client.get(f"{asked}&limit=400&after={first['next']}")
    assert (len(rest["items"]), rest["next"], rest["complete"]) == (6, None, True)
    assert scene.client.get(f"{asked}&case=true")["items"] == []


def test_the_middle_of_a_long_log_is_searched_where_it_lies(scene: Scene) -> None:
    line = b"%08d " + b"." * 90 + b"\n"
    log = b"".join(line % n for n in range(200_000))
    task, attempt = scene.taken()
    middle, tail = KEPT + 1_000_000, len(log) - 1_000_000
    for at in range(0, KEPT, 1_000_000):
        scene.agent.bytes((part(task, attempt, at), log[at : at + 1_000_000]))
    have = 9_000_000
    scene.agent.bytes((part(task, attempt, tail, skipped=True), log[tail:]))
    assert middle > have

    def reply(request: dict[str, Any]) -> tuple[bytes, bool]:
        assert request["type"] == "search-log"
        found = find_lines(
            lambda at, length: log[at : at + length],
            Question(request["text"], request["case"], request["limit"]),
            start=request["start"],
            end=log.index(b"\n", request["end"] - 1) + 1,
            is_last=True,
        )
        return json.dumps(found.as_data()).encode(), True

    asked = f"/tasks/{task}/logs/stdout/search?text=00777"
    expected = [n for n in range(200_000) if "00777" in f"{n:08d}"]
    with scene.agent.answering(reply) as answering:
        told = scene.client.get(f"{asked}&limit=1000")
        assert [int(one["text"][:8]) for one in told["items"]] == expected
        assert told["searched_on"] == ["kept", "cluster"]
        assert told["complete"]
        assert len(answering.seen) == 1
    scene.client.post(f"/endpoints/{scene.name}/away")
    told = scene.client.get(f"/tasks/{task}/logs/stdout/search?text=150000")
    assert told["items"] == []
    assert not told["complete"]
    assert scene.name in told["reason"]
    tail_hit = scene.client.get(f"/tasks/{task}/logs/stdout/search?text=00199999")
    assert [int(one["text"][:8]) for one in tail_hit["items"]] == [199_999]
    whole = scene.client.call("GET", f"/tasks/{task}/logs/stdout/download")
    assert (whole.status, whole.json["code"]) == (503, "endpoint-away")


def test_a_whole_log_is_sent_to_be_saved(scene: Scene) -> None:
    log = b"<script>alert(1)</script>\n" * 50_000
    task = write(scene, log)
    answer = scene.client.call("GET", f"/tasks/{task}/logs/stdout/download")
    assert answer.body == log
    assert answer.headers["content-disposition"].startswith('attachment; filename="long-log-')
    raw = scene.client.call("GET", f"/tasks/{task}/logs/stdout?limit=10")
    for one in (answer, raw):
        assert one.headers["content-type"].startswith("text/plain")
        assert one.headers["x-content-type-options"] == "nosniff"
        assert "sandbox" in one.headers["content-security-policy"]


def test_nothing_of_a_file_runs_in_the_page(scene: Scene) -> None:
    task, _ = scene.taken()
    content = b"<svg onload=alert(1)>"

    def reply(request: dict[str, Any]) -> tuple[bytes, bool]:
        if request["type"] == "stat-file":
            digest = hashlib.sha256(content).hexdigest()
            return json.dumps(
                {"size": len(content), "sha256": digest, "modified": 1.0}
            ).encode(), True
        return content, True

    expected = {
        "plot.png": ("image/png", "inline"),
        "evil.svg": ("text/plain; charset=utf-8", "inline"),
        "evil.html": ("text/plain; charset=utf-8", "inline"),
        "data.csv": ("text/plain; charset=utf-8", "inline"),
        "model.pt": ("application/octet-stream", "attachment"),
    }
    with scene.agent.answering(reply):
        for path, (kind, disposition) in expected.items():
            asked = f"/tasks/{task}/files/content?path={path}"
            shown = scene.client.call("GET", f"{asked}&inline=true")
            assert shown.headers["content-type"] == kind
            assert shown.headers["content-disposition"].startswith(disposition)
            saved = scene.client.call("GET", asked)
            assert saved.headers["content-type"] == "application/octet-stream"
            assert saved.headers["content-disposition"].startswith("attachment")
            for one in (shown, saved):
                assert one.headers["x-content-type-options"] == "nosniff"
                assert "sandbox" in one.headers["content-security-policy"]


def test_files_say_how_they_may_be_shown(scene: Scene) -> None:
    task, _ = scene.taken()
    items = [
        {"path": name, "kind": "file", "size": 1, "modified": 2.0}
        for name in ("a.png", "b.csv", "c.ipynb", "d.py", "e.pt", "Makefile")
    ] + [{"path": "ckpt", "kind": "folder", "size": 0, "modified": 2.0}]
    with scene.agent.answering(lambda _: (json.dumps({"items": items}).encode(), True)):
        listed = scene.client.get(f"/tasks/{task}/files")["items"]
    assert [one["preview"] for one in listed] == [
        "image",
        "table",
        "notebook",
        "text",
        "none",
        "text",
        "none",
    ]
    assert listed[0]["type"] == "image/png"


def test_the_code_of_a_task_can_be_read(scene: Scene) -> None:
    made = scene.client.post(
        "/jobs", {"recipe": "plain-script", "spec": {"run": "python3 train.py", "on": scene.name}}
    )
    task = made["tasks"][0]["id"]
    code = scene.client.get(f"/tasks/{task}/code")
    assert code["kind"] == "snapshot"
    assert [one["path"] for one in code["files"]] == ["README.md", "diamond.yaml", "train.py"]
    text = scene.client.call("GET", f"/tasks/{task}/code/content?path=train.py")
    assert b"def train_step" in text.body
    assert text.headers["content-type"].startswith("text/plain")
    assert scene.client.call("GET", f"/tasks/{task}/code/content?path=../x").status == 404
    assert scene.client.call("GET", f"/tasks/{task}/diff").body == b""
    plain = scene.submit()
    assert scene.client.get(f"/tasks/{plain['id']}/code")["kind"] == "none"


def test_a_task_tells_what_was_changed_since_another(scene: Scene) -> None:
    def ask(recipe: str, run: str) -> str:
        body = {"recipe": recipe, "spec": {"run": run, "on": scene.name}}
        return str(scene.client.post("/jobs", body)["tasks"][0]["id"])

    first, second = ask("plain-script", "python3 train.py"), ask("spiral", "python3 train.py --x")
    told = scene.client.call("GET", f"/tasks/{second}/diff?against={first}").body.decode()
    assert "-run: python3 train.py\n" in told and "+run: python3 train.py --x\n" in told
    assert "--- a/train.py\n+++ b/train.py\n" in told
    alike = ask("plain-script", "python3 train.py")
    assert scene.client.call("GET", f"/tasks/{alike}/diff?against={first}").body == b""
    assert scene.client.call("GET", f"/tasks/{first}/diff?against=nobody").status == 404


def test_every_view_is_a_link_and_the_api_keeps_its_problems(service: RunningService) -> None:
    stranger = Client(service.url)
    front, view = stranger.call("GET", "//"), stranger.call("GET", "//tasks/t123?tab=log")
    assert (front.status, view.status) == (200, 200)
    assert view.body == front.body
    assert "script-src 'self'" in front.headers["content-security-policy"] or (
        "default-src 'none'" in front.headers["content-security-policy"]
    )
    assert "frame-ancestors 'none'" in front.headers["content-security-policy"]
    assert front.headers["referrer-policy"] == "no-referrer"
    assert stranger.call("GET", "//assets/no-such.js").status in (200, 404)
    leaving = stranger.call("GET", "//..%2f..%2f..%2fetc%2fpasswd")
    assert b"root:" not in leaving.body
    unknown = stranger.call("GET", "/nowhere")
    assert (unknown.status, unknown.json["code"]) == (404, "not-found")
    assert Path(service.home).exists()
