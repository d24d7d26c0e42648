"""What is inside an image, where it is, who uses it; and how it comes elsewhere or goes."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from support.image_scene import (
    ENVIRONMENT,
    BuildReporter,
    record_of,
    start_build,
    take_commands,
)
from support.scene import Scene, new_scene
from support.service import RunningService


@pytest.fixture
def scene(service: RunningService) -> Scene:
    return new_scene(service)


def image(scene: Scene, name: str, number: int, **record: Any) -> Any:
    """An image of this scene alone: names and digests are its own."""
    own = int(scene.name[1:]) * 100 + number
    environment = {**ENVIRONMENT, "labels": {"of": f"{scene.name}-{number}"}}
    answer = start_build(scene, environment, name=f"{name}-{scene.name}")
    take_commands(scene)
    task = answer["build"]["task"]
    BuildReporter(scene, task).succeeds(record_of(own, **record), environment)
    return scene.client.get(f"/images/{name}-{scene.name}")


def test_images_are_found_by_what_is_inside(scene: Scene) -> None:
    found = image(scene, "torch", 1, packages={"python": {f"zz{scene.name}": "2.13"}, "system": {}})
    image(scene, "other", 2)
    for words in (f"zz{scene.name}", f"torch-{scene.name}", found["identity"][:20]):
        items = scene.client.get(f"/images?search={words}")["items"]
        assert [one["id"] for one in items] == [found["id"]], words
    assert len(scene.client.get(f"/images?endpoint={scene.name}")["items"]) == 2
    inside = scene.client.get(f"/images/{found['id']}/contents")
    assert inside["python"] == [{"name": f"zz{scene.name}", "version": "2.13"}]
    assert scene.client.get(f"/images/{found['copies'][0]['sha256'][:16]}")["id"] == found["id"]


def test_two_images_are_compared(scene: Scene) -> None:
    a = image(scene, "a", 1)
    b = image(scene, "b", 2, packages={"python": {"numpy": "2.1"}, "system": {"git": "2.4"}})
    diff = scene.client.get(f"/images/diff?a={a['name']}&b={b['name']}")
    assert diff["python"] == [{"name": "numpy", "a": "2.0", "b": "2.1"}]
    changes = {one["name"]: (one["a"], one["b"]) for one in diff["system"]}
    assert changes == {"bash": ("5.2", ""), "git": ("", "2.4")}
    assert [one["field"] for one in diff["fields"]] == ["labels"]


def test_a_name_moves_on_and_may_be_changed(scene: Scene) -> None:
    first = image(scene, "name", 1)
    second = image(scene, "name", 2)
    assert first["id"] != second["id"]
    assert scene.client.get(f"/images/{first['id']}")["name"] == ""
    other = image(scene, "other", 3)
    taken = scene.client.call("PATCH", f"/images/{other['id']}", {"name": second["name"]})
    assert taken.status == 409
    body = {"name": f"fresh-{scene.name}"}
    assert scene.client.call("PATCH", f"/images/{other['id']}", body).json["name"] == body["name"]


def test_an_image_in_use_is_not_deleted(scene: Scene) -> None:
    found = image(scene, "used", 1)
    task = scene.submit(environment=found["name"])
    refused = scene.client.call("DELETE", f"/images/{found['id']}")
    assert refused.status == 409 and "in use by 1 task" in refused.json["title"]
    uses = scene.client.get(f"/images/{found['id']}/uses")["items"]
    assert [one["id"] for one in uses] == [task["id"]]

    scene.client.post(f"/tasks/{task['id']}/cancel")
    assert scene.client.call("DELETE", f"/images/{found['id']}").status == 200
    sent = [one for one in take_commands(scene) if one["type"] == "image"]
    assert [(one["act"], one["sha256"]) for one in sent] == [
        ("delete", found["copies"][0]["sha256"])
    ]
    assert scene.client.call("GET", f"/images/{found['id']}").status == 404


def test_the_definition_is_good_without_diamond(scene: Scene) -> None:
    found = image(scene, "def", 1)
    text = scene.client.call("GET", f"/images/{found['id']}/definition").body.decode()
    assert text.startswith("Bootstrap: docker") and "echo two" in text
    other = scene.client.call("GET", f"/images/{found['id']}/definition?form=dockerfile")
    assert other.body.decode().startswith("FROM")


def test_an_endpoint_says_what_it_still_has(scene: Scene) -> None:
    found = image(scene, "gone", 1)
    scene.agent.good("images", {"items": [], "age": -10})
    assert scene.client.get(f"/images/{found['id']}")["copies"] == []
    record = record_of(int(scene.name[1:]) * 100 + 1)
    scene.agent.good("images", {"items": [record], "age": 0})
    (copy,) = scene.client.get(f"/images/{found['id']}")["copies"]
    assert copy["endpoint"] == scene.name


def test_bytes_pass_through_while_they_still_come(service: RunningService) -> None:
    alpha, beta = new_scene(service), new_scene(service)
    content = bytes(range(256)) * 40_000
    sha256 = hashlib.sha256(content).hexdigest()
    found = image(alpha, "bytes", 1, sha256=sha256, size=len(content))
    task = beta.submit(environment=found["name"])
    assert (task["phase"], task["awaits"][0]) == ("staging", "m")
    (fetch,) = [one for one in take_commands(beta) if one["type"] == "image"]
    assert (fetch["act"], fetch["move"]) == ("fetch", task["awaits"])

    half, path = len(content) // 2, f"image-bytes/{sha256}?size={len(content)}"
    assert alpha.agent.good(f"{path}&offset=0", content[:half]) == {"have": half}
    assert alpha.agent.good(f"{path}&offset=5", b"stale") == {"have": half}
    strange = new_scene(service).agent.call(f"{path}&offset={half}", b"y")
    assert strange.status == 404
    part = beta.agent.call("image-part", {"sha256": sha256, "offset": 100})
    assert part.body == content[100:half]
    assert alpha.agent.good(f"{path}&offset={half}", content[half:]) == {"have": len(content)}
    rest = beta.agent.call("image-part", {"sha256": sha256, "offset": half})
    assert rest.body == content[half:]
    record = {**record_of(int(alpha.name[1:]) * 100 + 1), "sha256": sha256, "size": len(content)}
    beta.agent.good(
        "moves", {"items": [{"move": task["awaits"], "state": "done", "record": record}]}
    )
    (submit,) = [one for one in take_commands(beta) if one["type"] == "submit"]
    assert submit["task_json"]["order"]["image"]["sha256"] == sha256


def test_a_part_is_no_larger_than_was_asked_for(service: RunningService) -> None:
    alpha, beta = new_scene(service), new_scene(service)
    content = b"0123456789"
    sha256 = hashlib.sha256(content).hexdigest()
    found = image(alpha, "small-parts", 1, sha256=sha256, size=len(content))
    beta.submit(environment=found["name"])
    alpha.agent.good(f"image-bytes/{sha256}?size={len(content)}&offset=0", content)
    part = beta.agent.call("image-part", {"sha256": sha256, "offset": 2, "most": 3})
    assert part.body == b"234"


def test_a_source_that_cannot_send_ends_the_transfer_with_its_reason(
    service: RunningService,
) -> None:
    alpha, beta = new_scene(service), new_scene(service)
    found = image(alpha, "unsendable", 1)
    task = beta.submit(environment=found["name"])
    said = {"move": f"{task['awaits']}-send", "state": "failed", "message": "it is no longer here"}
    new_scene(service).agent.good("moves", {"items": [said]})
    assert service.client.get(f"/images/moves/{task['awaits']}")["state"] == "waiting"
    alpha.agent.good("moves", {"items": [said]})
    move = service.client.get(f"/images/moves/{task['awaits']}")
    assert move["state"] == "failed"
    assert move["message"] == f"{alpha.name} could not send it: it is no longer here"
    ended = beta.task(task["id"])
    assert ended["state"] == "failed" and "no longer here" in ended["message"]


def test_an_image_on_a_machine_that_tells_only_its_digest_runs_as_it_was_sent(
    service: RunningService,
) -> None:
    alpha, beta = new_scene(service), new_scene(service)
    inside = {"variables": {"LEVEL": "3"}, "path": ["/opt/venv/bin"]}
    found = image(alpha, "private", 7, **inside)
    task = beta.submit(environment=found["name"])
    (fetch,) = take_commands(beta)
    public = ("identity", "sha256", "format", "platform", "size", "runtime")
    record = {name: fetch["record"][name] for name in public}
    told = {"move": task["awaits"], "state": "done", "record": {**record, "file": "", "version": 2}}
    beta.agent.good("moves", {"items": [told]})
    (submit,) = [one for one in take_commands(beta) if one["type"] == "submit"]
    ordered = submit["task_json"]["order"]["image"]
    assert {name: ordered[name] for name in inside} == inside


def test_a_move_is_called_off(service: RunningService) -> None:
    alpha, beta = new_scene(service), new_scene(service)
    content = b"some bytes of a file"
    sha256 = hashlib.sha256(content).hexdigest()
    found = image(alpha, "unwanted", 1, sha256=sha256, size=1000)
    task = beta.submit(environment=found["name"])
    path = f"image-bytes/{sha256}?size=1000&offset=0"
    assert alpha.agent.good(path, content) == {"have": len(content)}
    take_commands(beta)

    called_off = service.client.post(f"/images/moves/{task['awaits']}/cancel")
    assert called_off["state"] == "cancelled"
    (told,) = [one for one in take_commands(beta) if one["type"] == "image"]
    assert (told["act"], told["move"]) == ("cancel", task["awaits"])
    ended = beta.task(task["id"])
    assert (ended["state"], "cancelled" in ended["message"]) == ("failed", True)
    assert alpha.agent.call(path, content).status == 404
    late = {"move": task["awaits"], "state": "done", "record": record_of(1)}
    beta.agent.good("moves", {"items": [late]})
    again = service.client.post(f"/images/moves/{task['awaits']}/cancel")
    assert again["state"] == "cancelled"
    assert service.client.get(f"/images/{found['id']}")["moves"] == []


def test_a_retry_in_a_restricted_project_transfers_no_image(service: RunningService) -> None:
    alpha, beta = new_scene(service), new_scene(service)
    found = image(alpha, "kept", 1)
    project = service.client.post("/projects", {"name": f"inside-{beta.name}"})["id"]
    spec = {"run": "true", "on": beta.name, "environment": found["name"]}
    (task,) = service.client.post("/jobs", {"spec": spec, "project": project})["tasks"]
    assert task["awaits"], "a project without restrictions may transfer it"
    service.client.post(f"/tasks/{task['id']}/cancel")
    endpoint = service.client.get(f"/endpoints/{beta.name}")["id"]
    service.client.call("PATCH", f"/projects/{project}", {"endpoints": [endpoint]})
    refused = service.client.call("POST", f"/tasks/{task['id']}/retry", {})
    assert (refused.status, refused.json["code"]) == (409, "restricted")


def test_a_file_of_an_endpoint_that_is_removed_never_comes(service: RunningService) -> None:
    alpha, beta = new_scene(service), new_scene(service)
    found = image(alpha, "lost", 1)
    task = beta.submit(environment=found["name"])
    assert service.client.call("DELETE", f"/endpoints/{alpha.name}").status in (200, 204)
    ended = beta.task(task["id"])
    assert (ended["state"], ended["reason"]) == ("failed", "environment")
    assert "the endpoint was removed" in ended["message"]
    assert service.client.get(f"/images/{found['id']}")["copies"] == []
    again = service.client.post(f"/images/{found['id']}/copies", {"endpoint": beta.name})
    assert (again["how"], "no file of it is left" in again["words"]) == ("rebuild", True)


def test_a_virtual_environment_is_rebuilt_from_its_lock(service: RunningService) -> None:
    alpha, beta = new_scene(service), new_scene(service)
    found = image(alpha, "venv", 1, format="venv")
    answer = service.client.post(f"/images/{found['id']}/copies", {"endpoint": beta.name})
    assert answer["how"] == "rebuild"
    assert "a virtual environment only works where it was made" in answer["words"]
    assert answer["build"]["kind"] == "build" and answer["build"]["endpoint"] == beta.name


def test_what_nobody_needs_is_pruned_when_told(scene: Scene) -> None:
    old = image(scene, "name", 1)
    image(scene, "name", 2)
    asked: list[dict[str, Any]] = []

    def reply(request: dict[str, Any]) -> tuple[bytes, bool]:
        asked.append(request)
        item = {"kind": "image", "name": "x", "bytes": 900, "why": "it has no name"}
        given = {"kind": "group-file", "name": "y", "bytes": 100, "why": "yours in the group's"}
        return json.dumps({"items": [item, given]}).encode(), True

    body = {"endpoint": scene.name, "unused_days": 0}
    scene.agent.good("profile", {"facts": {}})
    with scene.agent.answering(reply):
        shown = scene.client.post("/images/prune", body)
        assert (shown["bytes"], shown["dry_run"]) == (1000, True)
        assert len(scene.client.get(f"/images/{old['id']}")["copies"]) == 1
        scene.client.post("/images/prune", {**body, "dry_run": False})
    assert [one["sha256"] for one in asked[0]["images"]] == [old["copies"][0]["sha256"]]
    assert scene.client.get(f"/images/{old['id']}")["copies"] == []


def test_an_environment_is_judged_while_it_is_written(service: RunningService) -> None:
    bad = {"environment": {"base": "docker://x y", "sytem": ["git"], "requirements": ["-r x"]}}
    answer = service.client.post("/images/preview", bad)
    assert not answer["ok"] and {one["field"] for one in answer["faults"]} >= {"base", "sytem"}
    good = {"environment": {"base": "docker://ubuntu:24.04", "commands": ["echo 'a\nb'"]}}
    shown = service.client.post("/images/preview", good)
    assert shown["ok"] and "echo 'a\nb'" in shown["definition"]
    assert [one["name"] for one in shown["steps"]] == ["base", "command-1", "pack"]
    refused = service.client.call("POST", "/images/builds", bad)
    assert refused.status == 422


def test_files_that_people_have_become_environments(service: RunningService) -> None:
    body = {
        "name": "Dockerfile",
        "text": "FROM ubuntu:24.04\nRUN echo hi\nEXPOSE 80\nCOPY a.py /b.py\n",
    }
    answer = service.client.post("/images/import", body)
    assert answer["environment"]["base"].startswith("docker://ubuntu")
    assert answer["environment"]["commands"] == ["set +eu\necho hi"]
    assert answer["copies"] == {"a.py": "/b.py"}
    assert any("EXPOSE" in words for words in answer["left_out"])


def test_a_change_of_an_image_is_told_at_once(scene: Scene) -> None:
    found = image(scene, "old", 1)
    events = scene.client.events("?after=now")
    events.until("ready")
    scene.client.call("PATCH", f"/images/{found['id']}", {"name": f"new-{scene.name}"})
    told = events.until("image", id=found["id"])
    events.close()
    assert told.data["image"]["name"] == f"new-{scene.name}"
