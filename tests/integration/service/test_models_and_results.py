"""Results are hashed where they lie, and become versions of models; aliases move and remember who moved them."""

from __future__ import annotations

import json
from itertools import count

import pytest

from support.http import Client
from support.people import add_person
from support.result_scene import ended_task, read_result, result_of, scan_command
from support.scene import Scene, new_scene
from support.service import RunningService

_numbers = count(1)


@pytest.fixture
def scene(service: RunningService) -> Scene:
    return new_scene(service)


def test_a_result_is_read_where_it_lies_and_recorded(scene: Scene) -> None:
    task, digest = result_of(scene, b"weights")
    (result,) = scene.client.get(f"/tasks/{task}/results")["items"]
    assert (result["state"], result["digest"]) == ("ready", f"sha256:{digest}")
    assert (result["size"], result["files"], result["places"]) == (7, 1, [scene.name])
    record = scene.client.get(f"/tasks/{task}/record")
    assert record["results"][-1]["tree"] == digest
    assert record["check"]["is_whole"]


def test_what_a_run_names_is_read_when_the_task_has_ended(scene: Scene) -> None:
    task, attempt = scene.taken()
    scene.tell("submitted", task, attempt, native_id="1")
    scene.tell("started", task, attempt, run=1, native_id="1", node="n1")
    line = {"name": "net", "path": "out/net", "kind": "model", "format": "torch"}
    lines = [{"results": [line]}, {"results": [{"name": "bad name", "path": "x"}]}]
    lines += [{"results": [{"name": "climbs", "path": "../../x"}]}]
    text = "".join(json.dumps(one) + "\n" for one in lines).encode()
    part = {"task": task, "attempt": attempt, "run": 1, "stream": "facts", "offset": 0}
    scene.agent.bytes((part, text))
    (result,) = scene.client.get(f"/tasks/{task}/results")["items"]
    assert (result["name"], result["state"], result["kind"]) == ("net", "waiting", "model")
    assert not [one for one in scene.agent.commands()["commands"] if one["type"] == "data"]
    scene.tell("exited", task, attempt, run=1, exit_code=0)
    scene.tell("observed", task, attempt, status="ended", native_id="1", run=1, exit_code=0)
    digest = read_result(scene, b"net")
    (result,) = scene.client.get(f"/tasks/{task}/results")["items"]
    assert (result["state"], result["digest"]) == ("ready", f"sha256:{digest}")
    made = scene.client.post(f"/models/net-{task}/versions", {"task": task, "result": "net"})
    assert (made["format"], made["result"]) == ("torch", "net")


def test_a_result_becomes_a_version_of_a_dataset_once(scene: Scene) -> None:
    task, digest = result_of(scene, b"features")
    name = f"features-{next(_numbers)}"
    made = scene.client.post(f"/tasks/{task}/results/artifacts/dataset", {"name": name})
    again = scene.client.post(f"/tasks/{task}/results/artifacts/dataset", {"name": name})
    assert (made["name"], made["digest"]) == ("v1", f"sha256:{digest}")
    assert again["n"] == 1 and task in made["source"]
    place = scene.client.get(f"/datasets/{name}/places")["items"][0]
    assert (place["endpoint"], place["kind"]) == (scene.name, "in-place")
    missing = scene.client.call("POST", f"/tasks/{task}/results/none/dataset", {"name": name})
    assert missing.status == 404 and "artifacts" in missing.json["hint"]


def test_somebody_else_makes_no_dataset_of_a_result(scene: Scene, service: RunningService) -> None:
    task, _ = result_of(scene, b"private features")
    _, bob = add_person(service, "bob")
    answer = bob.call("POST", f"/tasks/{task}/results/artifacts/dataset", {"name": "mine"})
    assert answer.status == 404
    assert bob.call("GET", "/datasets/mine").status == 404


def test_the_path_of_a_result_stays_in_the_run_directory(scene: Scene) -> None:
    task = ended_task(scene)
    for path in ("../../etc", "/etc", "a/../../b"):
        answer = scene.client.call("POST", f"/tasks/{task}/results", {"path": path})
        assert answer.status == 400, path
    assert scene.client.get(f"/tasks/{task}/results")["items"] == []


def test_a_result_that_cannot_be_read_says_why(scene: Scene) -> None:
    task = ended_task(scene)
    scene.client.post(f"/tasks/{task}/results", {"path": "artifacts"})
    scan = scan_command(scene.agent)["scan"]
    report = {"name": scan, "act": "scan", "state": "failed", "message": "it is not there"}
    scene.agent.good("data-reports", {"items": [report]})
    (result,) = scene.client.get(f"/tasks/{task}/results")["items"]
    assert (result["state"], result["message"]) == ("failed", "it is not there")
    answer = scene.client.call("POST", "/models/digits/versions", {"task": task})
    assert answer.status == 409
    assert "it is not there" in answer.json["title"]


def test_a_running_task_has_no_results_yet(scene: Scene) -> None:
    task, _ = scene.taken()
    answer = scene.client.call("POST", f"/tasks/{task}/results", {"path": "artifacts"})
    assert answer.status == 409


def test_versions_are_numbered_and_the_same_files_are_one_version(scene: Scene) -> None:
    name = f"digits-{next(_numbers)}"
    task, first = result_of(scene, f"first {name}".encode())
    made = scene.client.post(f"/models/{name}/versions", {"task": task, "note": "a start"})
    again = scene.client.post(f"/models/{name}/versions", {"task": task})
    assert (made["number"], again["number"], made["digest"]) == (1, 1, f"sha256:{first}")
    other, second = result_of(scene, f"second {name}".encode())
    assert scene.client.post(f"/models/{name}/versions", {"task": other})["number"] == 2
    model = scene.client.get(f"/models/{name}")
    assert model["newest"]["digest"] == f"sha256:{second}"
    for word, number in (("v1", 1), (f"sha256:{first[:12]}", 1), ("newest", 2), ("v2", 2)):
        assert scene.client.get(f"/models/{name}/versions/{word}")["number"] == number, word
    pages = scene.client.get(f"/models/{name}/versions?limit=1")
    rest = scene.client.get(f"/models/{name}/versions?limit=1&cursor={pages['next']}")
    assert [item["number"] for item in pages["items"] + rest["items"]] == [2, 1]


def test_an_alias_moves_and_remembers_who_moved_it(scene: Scene) -> None:
    name = f"digits-{next(_numbers)}"
    for content in (b"1", b"2"):
        task, _ = result_of(scene, content + name.encode())
        scene.client.post(f"/models/{name}/versions", {"task": task})
    path = f"/models/{name}/aliases/production"
    for version in (1, 2, 2):
        assert scene.client.call("PUT", path, {"version": version}).status == 200
    assert scene.client.get(f"/models/{name}/versions/production")["number"] == 2
    missing = scene.client.call("PUT", path, {"version": 7})
    assert missing.status == 404
    assert "v1 to v2, production" in missing.json["hint"]
    assert scene.client.call("DELETE", f"/models/{name}").status == 409
    assert scene.client.call("DELETE", path).status == 204
    history = scene.client.get(f"/models/{name}/aliases")["items"]
    moves = [(move["before"], move["version"]) for move in history]
    assert moves == [(2, None), (1, 2), (None, 1)]
    assert {move["moved_by"] for move in history} == {scene.client.get("/me")["name"]}
    bad = scene.client.call("PUT", f"/models/{name}/aliases/v3", {"version": 1})
    assert (bad.status, "production" in bad.json["hint"]) == (400, True)
    assert scene.client.call("DELETE", f"/models/{name}").status == 204


def test_a_card_is_written_from_the_record_until_somebody_edits_it(scene: Scene) -> None:
    name = f"digits-{next(_numbers)}"
    task, digest = result_of(scene, name.encode())
    scene.client.post(f"/models/{name}/versions", {"task": task})
    body = {"description": "reads [digits](x) <b>", "license": "mit", "tags": ["vision"]}
    assert scene.client.call("PATCH", f"/models/{name}", body).status == 200
    card = scene.client.get(f"/models/{name}/card")
    assert not card["is_edited"]
    for text in (task, digest, 'license: "mit"', r"reads \[digits\](x) \<b\>", '- "vision"'):
        assert text in card["text"], text
    scene.client.call("PATCH", f"/models/{name}", {"card": "# Mine"})
    assert scene.client.get(f"/models/{name}/card") == {"text": "# Mine", "is_edited": True}
    scene.client.call("PATCH", f"/models/{name}", {"card": ""})
    assert not scene.client.get(f"/models/{name}/card")["is_edited"]


def test_others_see_a_model_only_if_it_is_shared(scene: Scene) -> None:
    name = f"digits-{next(_numbers)}"
    task, digest = result_of(scene, name.encode())
    scene.client.post(f"/models/{name}/versions", {"task": task})
    bob_id, bob = add_person(scene.service, f"bob-{name}")
    model = scene.client.get(f"/models/{name}")["id"]
    for path in (f"/models/{model}", f"/models/{model}/card", f"/models/{model}/versions"):
        assert bob.call("GET", path).status == 404
    _knows_nothing(bob, digest)
    scene.client.post(f"/models/{name}/shares", {"with_kind": "person", "with_id": bob_id})
    assert bob.get(f"/models/{model}")["is_own"] is False
    assert bob.get("/models")["items"][0]["id"] == model
    assert bob.call("PUT", f"/models/{model}/aliases/mine", {"version": 1}).status == 403
    assert bob.call("PATCH", f"/models/{model}", {"name": "mine"}).status == 403


def _knows_nothing(stranger: Client, digest: str) -> None:
    """Neither by digest nor by a made-up one does the answer differ."""
    known = stranger.call("POST", "/models/theirs/versions", {"digest": digest})
    made_up = stranger.call("POST", "/models/theirs/versions", {"digest": "0" * 64})
    assert known.status == made_up.status == 404
    assert known.body.decode().replace(digest, "0" * 64) == made_up.body.decode()
    assert stranger.get("/models")["items"] == []
