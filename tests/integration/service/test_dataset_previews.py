"""What an endpoint sends as a preview is checked, kept once, and shown to those who may see the dataset."""

from __future__ import annotations

from typing import Any

from support.data_scene import added
from support.people import add_person
from support.scene import Scene, new_scene
from support.service import RunningService

TABLE = {"path": "a.csv", "format": "csv", "rows": 2, "columns": [{"name": "x", "type": "integer"}]}
GOOD = {"kinds": [{"suffix": ".csv", "files": 1, "bytes": 8}], "parts": [TABLE]}


def previews_asked(scene: Scene) -> list[str]:
    """Scans of previews that the agent is asked for."""
    commands = scene.agent.commands(wait=2)["commands"]
    scene.agent.commands(done=[one["id"] for one in commands])
    return [one["scan"] for one in commands if one.get("act") == "preview"]


def report(scene: Scene, scan: str, state: str, message: str = "") -> None:
    items = [{"name": scan, "act": "preview", "state": state, "message": message}]
    scene.agent.good("data-reports", {"items": items})


def send(scene: Scene, scan: str, preview: Any) -> int:
    return scene.agent.call(f"preview-bytes/{scan}", preview).status


def test_every_version_gets_one_preview_and_a_failed_one_leaves_the_data_as_it_is(
    service: RunningService,
) -> None:
    scene = new_scene(service)
    added(scene, "seen")
    assert scene.client.get("/datasets/seen/preview")["state"] == "waiting"
    (scan,) = previews_asked(scene)
    report(scene, scan, "failed", "the disk is full")
    failed = scene.client.get("/datasets/seen/preview")
    assert (failed["state"], failed["message"]) == ("failed", "the disk is full")
    assert scene.client.get("/datasets/seen")["newest"]["name"] == "v1"
    assert scene.client.post("/datasets/seen/preview", {})["state"] == "waiting"
    (scan,) = previews_asked(scene)
    assert send(scene, scan, GOOD) == 200
    report(scene, scan, "done")
    shown = scene.client.get("/datasets/seen/preview")
    assert shown["state"] == "done" and shown["preview"]["parts"][0]["rows"] == 2
    added(scene, "seen")
    added(scene, "other-name")
    assert previews_asked(scene) == [], "the same files have it already"


def test_what_an_agent_makes_up_is_rejected(service: RunningService) -> None:
    scene = new_scene(service)
    added(scene, "hostile", {"h.csv": b"hostile\n1\n"})
    (scan,) = previews_asked(scene)
    for bad in (
        b"not json",
        b"[" * 100_000,
        b"x" * (2 << 20),
        {"parts": [{**TABLE, "text": "\x1b[2J"}]},
        {
            "parts": [
                {**TABLE, "images": [{"path": "a", "width": 1, "height": 1, "png": "PHN2Zz4="}]}
            ]
        },
        {"parts": [TABLE] * 1000},
    ):
        assert send(scene, scan, bad) in (400, 413), bad
    other = new_scene(service)
    assert send(other, scan, GOOD) == 404, "another endpoint"
    assert send(scene, "scan_none", GOOD) == 404
    assert scene.client.get("/datasets/hostile/preview")["preview"] is None
    assert send(scene, scan, GOOD) == 200
    report(scene, scan, "done")
    assert send(scene, scan, {"parts": []}) == 404, "it has ended"


def test_a_preview_is_seen_by_those_who_see_the_dataset_and_made_by_its_owner(
    service: RunningService,
) -> None:
    scene = new_scene(service)
    added(scene, "mine", {"m.csv": b"mine\n1\n"})
    (scan,) = previews_asked(scene)
    assert send(scene, scan, GOOD) == 200
    bob_id, bob = add_person(service, "bob")
    dataset = scene.client.get("/datasets/mine")["id"]
    assert bob.call("GET", f"/datasets/{dataset}/preview").status == 404
    scene.client.post("/datasets/mine/shares", {"with_kind": "person", "with_id": bob_id})
    assert bob.get(f"/datasets/{dataset}/preview")["state"] == "done"
    assert bob.call("POST", f"/datasets/{dataset}/preview", {}).json["code"] == "role"


def test_a_url_is_checked_before_anybody_is_asked_to_fetch_it(service: RunningService) -> None:
    scene = new_scene(service)
    for url, word in (
        ("ftp://host/a", "not a source"),
        ("file:///etc/passwd", "not a source"),
        ("https://ada:secret@host/a", "password or token"),
        ("git+https://host/r@--upload-pack=evil", "not a commit"),
        ("s3://", "nothing to fetch"),
    ):
        answer = scene.client.call(
            "POST", "/datasets", {"name": "u", "url": url, "endpoint": scene.name}
        )
        assert answer.status == 400 and word in answer.json["title"], (url, answer.json)
        assert "secret@" not in str(answer.json)
    body = {"name": "u", "url": "s3://b/p", "endpoint": scene.name, "sha256": 64 * "0"}
    assert scene.client.call("POST", "/datasets", body).status == 400
    body = {"name": "u", "url": "s3://b/p", "endpoint": scene.name, "server": "file:///etc"}
    assert scene.client.call("POST", "/datasets", body).status == 400
    packed: Any = {"name": "u", "path": "/data", "endpoint": scene.name, "unpack": True}
    assert scene.client.call("POST", "/datasets", packed).status == 400
    assert scene.client.call("GET", "/datasets/u").status == 404
    added(scene, "in-place", {"p.csv": b"place\n1\n"})
    looked = scene.client.call("POST", "/datasets/in-place/checks", {"source": True})
    assert looked.status == 400 and "not fetched" in looked.json["title"]
