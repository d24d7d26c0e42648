from __future__ import annotations

import gzip
import io
import json
import re
import tarfile
import threading
from hashlib import sha256
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

from support.http import Answer, Client
from support.scene import Scene, new_scene
from support.service import RunningService


@pytest.fixture
def scene(service: RunningService) -> Scene:
    return new_scene(service)


def open_link(service: RunningService) -> tuple[str, Answer]:
    path = urlsplit(service.client.post("/open")["url"])
    return f"/{path.path}?{path.query}", Client(service.url).call(
        "GET", f"/{path.path}?{path.query}"
    )


def test_a_link_signs_one_browser_in_once(service: RunningService) -> None:
    path, answer = open_link(service)
    assert answer.status == 303
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    instance = service.client.get("/health")["instance"]
    assert cookie.startswith(f"diamond_{instance}=")
    browser = Client(service.url, headers={"Cookie": cookie.split(";")[0]})
    assert browser.get("/me")["id"] == "local"
    assert Client(service.url).call("GET", path).status == 403


def test_a_browser_writes_from_our_own_pages_only(service: RunningService) -> None:
    _, answer = open_link(service)
    browser = Client(service.url, headers={"Cookie": answer.headers["set-cookie"].split(";")[0]})
    assert browser.call("POST", "/open").status == 403
    assert browser.call("POST", "/open", headers={"Origin": "http://evil.example"}).status == 403
    assert browser.call("POST", "/open", headers={"Origin": service.url}).status == 200
    foreign = service.client.call("POST", "/open", headers={"Origin": "null"})
    assert (foreign.status, foreign.json["code"]) == (403, "bad-origin")


def test_half_a_character_is_refused_and_leaves_an_endpoint_whole(scene: Scene) -> None:
    change = {"corrections": {"modules": ["\udcff"]}}
    answer = scene.client.call("PATCH", f"/endpoints/{scene.name}", change)
    assert (answer.status, answer.json["code"]) == (422, "invalid-request")
    assert answer.json["faults"][0]["field"] == "corrections.modules.0"
    assert scene.client.get(f"/endpoints/{scene.name}")["name"] == scene.name
    spec = {"spec": {"run": ["echo", "\udcff"], "on": "nowhere"}}
    told = scene.client.call("POST", "/jobs", spec).json["faults"]
    assert {fault["field"] for fault in told} == {"run.1", "on"}


def test_a_name_that_does_not_fit_is_answered_without_a_pattern(scene: Scene) -> None:
    answer = scene.client.call("POST", "/endpoints", {"name": "bad name!"})
    assert answer.status == 422
    assert answer.json["title"].startswith("name: 'bad name!' is not usable here: use letters,")


def test_another_host_name_is_not_answered(service: RunningService) -> None:
    answer = service.client.call("GET", "/health", headers={"Host": "evil.example"})
    assert (answer.status, answer.json["code"]) == (400, "bad-host")


def test_a_body_beyond_the_limit_is_refused_with_or_without_a_stated_length(
    service: RunningService,
) -> None:
    body = b'{"name": "' + b"x" * (9 << 20) + b'"}'
    headers = {"Content-Type": "application/json"}
    stated = service.client.call("POST", "/tokens", body, headers)
    assert (stated.status, stated.json["code"]) == (413, "too-large")
    pieces = iter([body[at : at + 65536] for at in range(0, len(body), 65536)])
    chunked = service.client.call("POST", "/tokens", pieces, headers)
    assert (chunked.status, chunked.json["code"]) == (413, "too-large")


def test_a_token_is_shown_once_and_ends_when_removed(service: RunningService) -> None:
    made = service.client.post("/tokens", {"name": "notebook", "days": 1})
    other = Client(service.url, made["token"])
    assert other.get("/me")["id"] == "local"
    listed = service.client.get("/tokens")["items"]
    assert made["id"] in [one["id"] for one in listed]
    assert "token" not in listed[0]
    assert service.client.call("DELETE", f"/tokens/{made['id']}").status == 204
    assert other.call("GET", "/me").status == 401


def test_nothing_but_health_and_pages_opens_without_a_sign_in(service: RunningService) -> None:
    stranger = Client(service.url)
    assert stranger.get("/health")["ok"]
    assert b"Diamond" in stranger.call("GET", "//").body
    for path in ("/me", "/tasks", "/jobs", "/endpoints", "/events", "/tokens"):
        answer = stranger.call("GET", path)
        assert (answer.status, answer.json["code"]) == (401, "not-signed-in")


def test_no_page_loads_anything_from_elsewhere(service: RunningService) -> None:
    stranger = Client(service.url)
    assert stranger.call("GET", "/docs").status == 404
    page = stranger.call("GET", "//")
    assert not re.search(r"""(?:src|href)=["']?(?:[a-z]+:)?//""", page.body.decode())
    assert "unsafe-inline" not in page.headers["content-security-policy"].partition("style-src")[0]
    assert stranger.call("GET", "/openapi.json").json["info"]["title"] == "Diamond"


def test_the_same_key_gives_the_first_answer_also_when_both_come_at_once(scene: Scene) -> None:
    body = {"spec": {"name": "once", "run": "true", "on": scene.name}}
    answers: list[Any] = []

    def post() -> None:
        answers.append(scene.client.post("/jobs", body, **{"Idempotency-Key": f"k-{scene.name}"}))

    threads = [threading.Thread(target=post) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({json.dumps(answer, sort_keys=True) for answer in answers}) == 1
    other = {"spec": {"name": "other", "run": "true", "on": scene.name}}
    refused = scene.client.call("POST", "/jobs", other, {"Idempotency-Key": f"k-{scene.name}"})
    assert (refused.status, refused.json["code"]) == (409, "idempotency-mismatch")


def test_unknown_fields_are_answered_with_the_known_ones(service: RunningService) -> None:
    answer = service.client.call("POST", "/tokens", {"nam": "x"})
    assert answer.status == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert "name, days" in answer.json["title"]
    query = service.client.call("GET", "/tasks?stat=running")
    assert query.status == 422
    assert "state" in query.json["hint"]


def test_bad_json_and_bad_values_are_told_apart(service: RunningService) -> None:
    headers = {"Content-Type": "application/json"}
    for body in (b"{", b"\xff\xfe", b'{"spec": nope}'):
        assert service.client.call("POST", "/jobs", body, headers).status == 400
    assert service.client.call("POST", "/jobs", [1]).status == 422
    assert service.client.call("POST", "/jobs", {"spec": 3}).status == 422
    assert service.client.call("GET", "/tasks?limit=0").status == 422
    assert "running" in service.client.call("GET", "/tasks?state=runing").json["hint"]
    assert "-created" in service.client.call("GET", "/tasks?sort=size").json["hint"]


@pytest.mark.parametrize(
    "cursor", ["x", "%00", "W10", "WzEsMl0", "bnVsbA", "WyJhIiwiYiJd", "%F0%9F%92%8E"]
)
def test_a_garbage_cursor_is_refused_with_words(service: RunningService, cursor: str) -> None:
    for path in (f"/tasks?cursor={cursor}", f"/jobs?cursor={cursor}"):
        answer = service.client.call("GET", path)
        assert (answer.status, answer.json["code"]) == (400, "bad-request")


def test_wrong_paths_and_methods_answer_as_problems(service: RunningService) -> None:
    for method, path, status in (
        ("GET", "/nowhere", 404),
        ("DELETE", "/health", 405),
        ("POST", "//x", 405),
        ("POST", "/nowhere", 404),
    ):
        answer = service.client.call(method, path)
        assert (answer.status, answer.json["status"]) == (status, status)


@pytest.mark.parametrize("name", ["a'b", 'a"b', "a\nb", "$(touch x)", "x; DROP TABLE tasks", "%00"])
def test_strange_words_in_filters_find_nothing_and_break_nothing(scene: Scene, name: str) -> None:
    for path in (
        f"/tasks?name={quote(name)}",
        f"/tasks/{quote(name, safe='')}",
        f"/endpoints/{quote(name, safe='')}",
    ):
        assert scene.client.call("GET", path).status in (200, 400, 404)
    assert scene.client.call("GET", "/tasks?name=%00").status in (200, 400)


def test_an_ambiguous_beginning_names_the_candidates(scene: Scene) -> None:
    made = {scene.submit()["id"] for _ in range(2)}
    answer = scene.client.call("GET", "/tasks/t")
    assert answer.status == 409
    assert len(answer.json["hint"].split(",")) >= 2
    task = made.pop()
    assert scene.client.get(f"/tasks/{task[:-1]}")["id"] == task


def test_pages_go_through_everything_once(scene: Scene) -> None:
    made = [scene.submit(name=f"page{number}")["id"] for number in range(7)]
    seen: list[str] = []
    path = f"/tasks?endpoint={scene.name}&limit=3"
    cursor = ""
    while True:
        page = scene.client.get(path + cursor)
        seen += [one["id"] for one in page["items"]]
        if not page["next"]:
            break
        cursor = f"&cursor={page['next']}"
    assert seen == made[::-1]
    by_name = scene.client.get(f"/tasks?endpoint={scene.name}&sort=name&name=page")["items"]
    assert [one["name"] for one in by_name] == [f"page{number}" for number in range(7)]


def tar_of(*members: tuple[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def test_blobs_are_checked_kept_and_handed_to_the_agent(scene: Scene) -> None:
    data = scene.name.encode() * 1000
    digest = sha256(data).hexdigest()
    named = f"sha256:{digest}"
    assert scene.client.post("/blobs/missing", {"digests": [named]})["missing"] == [named]
    wrong = scene.client.call("POST", "/blobs", tar_of((digest, b"other")))
    assert (wrong.status, "digest" in wrong.json["title"]) == (400, True)
    assert scene.client.call("POST", "/blobs", b"no tar at all").status == 400
    assert scene.client.call("POST", "/blobs", tar_of(("../../x", data))).status == 400
    stored = scene.client.call("POST", "/blobs", tar_of((digest, data)))
    assert (stored.status, stored.json) == (201, {"stored": 1})
    assert scene.client.post("/blobs/missing", {"digests": [named]})["missing"] == []
    answer = scene.agent.call("blobs", {"digests": [named]})
    with tarfile.open(fileobj=io.BytesIO(answer.body)) as tar:
        member = tar.extractfile(digest)
        assert member is not None
        assert member.read() == data


def test_a_compressed_archive_is_refused_since_it_could_unpack_to_anything(scene: Scene) -> None:
    data = bytes(1 << 20)
    digest = sha256(data).hexdigest()
    packed = gzip.compress(tar_of((digest, data)))
    answer = scene.client.call("POST", "/blobs", packed)
    assert (answer.status, answer.json["code"]) == (400, "bad-request")
    assert scene.client.post("/blobs/missing", {"digests": [digest]})["missing"] == [digest]


def test_code_that_was_not_uploaded_is_refused(scene: Scene) -> None:
    body = {
        "spec": {"name": "x", "run": "true", "on": scene.name},
        "code": {"snapshot": "sha256:" + "0" * 64},
    }
    answer = scene.client.call("POST", "/jobs", body)
    assert (answer.status, answer.json["faults"][0]["field"]) == (422, "code.snapshot")
