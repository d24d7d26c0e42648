"""Code by its digest: who only knows a digest learns nothing and runs nothing. docs/security.md names each of these."""

from __future__ import annotations

import pytest

from support.code_scene import Person, digest_of, manifest_of, tar_of
from support.service import RunningService


@pytest.fixture
def ada(service: RunningService) -> Person:
    return Person(service, "ada")


@pytest.fixture
def mallory(service: RunningService) -> Person:
    return Person(service, "mallory")


def test_nobody_learns_whether_somebody_else_has_sent_such_bytes(
    ada: Person, mallory: Person
) -> None:
    secret = b"the answers of the exam 1"
    ada.send(secret)
    asked = {"digests": [digest_of(secret)]}
    assert ada.client.post("/blobs/missing", asked)["missing"] == []
    assert mallory.client.post("/blobs/missing", asked)["missing"] == [digest_of(secret)]


def test_a_digest_alone_is_not_run(ada: Person, mallory: Person) -> None:
    program = b"print('unpublished 2')"
    manifest = manifest_of(program)
    ada.send(program, manifest)
    assert ada.run(digest_of(manifest)).status == 201
    refused = mallory.run(digest_of(manifest))
    assert (refused.status, refused.json["code"]) == (422, "invalid-spec")


def test_nor_through_a_list_of_files_that_names_it(ada: Person, mallory: Person) -> None:
    program = b"print('unpublished 3')"
    ada.send(program)
    manifest = manifest_of(program)
    mallory.send(manifest)
    assert mallory.run(digest_of(manifest)).status == 422


def test_nor_shown_as_the_changes_of_a_job(ada: Person, mallory: Person) -> None:
    changes = b"- a secret line 4"
    ada.send(changes)
    own = b"print(4)"
    mallory.send(own, manifest_of(own))
    refused = mallory.run(digest_of(manifest_of(own)), diff=digest_of(changes))
    assert refused.status == 422 and refused.json["faults"][0]["field"] == "code.diff"


def test_an_agent_reads_the_code_of_its_owner_alone(ada: Person, mallory: Person) -> None:
    program = b"print('unpublished 5')"
    ada.send(program)
    assert ada.fetch(digest_of(program)) == 200
    assert mallory.fetch(digest_of(program)) == 404


def test_other_bytes_under_a_known_digest_prove_nothing(ada: Person, mallory: Person) -> None:
    program = b"print('unpublished 6')"
    ada.send(program)
    forged = tar_of(b"anything", names=[digest_of(program)])
    headers = {"Content-Type": "application/x-tar"}
    assert mallory.client.call("POST", "/blobs", forged, headers).status == 400
    assert mallory.fetch(digest_of(program)) == 404


def test_who_may_read_a_job_may_run_its_code(ada: Person, mallory: Person) -> None:
    program = b"print('shared 7')"
    manifest = manifest_of(program)
    ada.send(program, manifest)
    job = ada.run(digest_of(manifest)).json["job"]["id"]
    ada.client.post(f"/jobs/{job}/shares", {"with_kind": "person", "with_id": mallory.id})
    assert mallory.run(digest_of(manifest)).status == 201
    assert mallory.fetch(digest_of(program)) == 200


def test_a_snapshot_that_is_none_is_reported_as_such(mallory: Person) -> None:
    for content in (b"no list", b"[]", b'{"files": [{"path": 3}]}', b"[" * 100_000):
        mallory.send(content)
        assert mallory.run(digest_of(content)).status == 422


def test_artifacts_are_listed_to_their_owner_with_their_places(
    ada: Person, mallory: Person
) -> None:
    program = b"print('listed 8')"
    manifest = manifest_of(program)
    ada.send(program, manifest)
    ada.run(digest_of(manifest))
    [listed] = ada.client.get("/artifacts")["items"]
    assert (listed["digest"], listed["kind"]) == (digest_of(manifest), "snapshot")
    assert [place["endpoint"] for place in listed["places"]] == [""]
    files = ada.client.get("/artifacts?kind=file")["items"]
    assert [(file["digest"], file["size"]) for file in files] == [
        (digest_of(program), len(program))
    ]
    assert ada.client.get(f"/artifacts?endpoint={ada.endpoint}")["items"] == []
    assert mallory.client.get("/artifacts")["items"] == []
    assert mallory.client.call("GET", f"/artifacts/{digest_of(program)}").status == 404
