"""Code that fills a quota can be seen and removed by its owner; never what a task that has not ended needs, and never unsaid."""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from sqlalchemy import insert, select, update

from diamond.core.artifacts import Artifact, ArtifactKind
from diamond.service.access.principal import LOCAL_USER
from diamond.service.artifacts.store import add_to_service, mark_snapshot
from diamond.service.code.cleanup import GRACE_SECONDS, prune_blobs
from diamond.service.code.removal import remove_due_code
from diamond.service.people.first_start import first_start
from diamond.service.platform.blob_store import FolderBlobStore
from diamond.service.platform.database.engine import Store
from diamond.service.platform.database.tables import artifacts, jobs, removed_code, tasks
from diamond.service.platform.services import Services
from diamond.service.platform.workers import Workers
from diamond.service.settings import Settings
from diamond.service.storage.rows import StorageRuleRow
from diamond.service.storage.rules import DAY, PERSON
from diamond.service.storage.store import put_rule
from support.code_scene import Person, digest_of, manifest_of, tar_of
from support.database import with_store
from support.ended_rows import job_values, task_values
from support.service import RunningService


@pytest.fixture
def ada(service: RunningService) -> Person:
    return Person(service, "ada")


def ended(person: Person, *programs: bytes) -> tuple[str, str]:
    """A task that has ended, and the digest of its code."""
    manifest = manifest_of(*programs)
    person.send(manifest, *programs)
    answer = person.run(digest_of(manifest))
    assert answer.status == 201, answer.json
    task = answer.json["tasks"][0]
    person.scene.agent.commands(wait=5)
    person.scene.tell("started", task["id"], task["attempt"], run=1, node="n1")
    person.scene.tell("exited", task["id"], task["attempt"], run=1, code=0)
    return task["id"], digest_of(manifest)


def stored_code(person: Person) -> int:
    return int(person.client.get("/storage")["service"]["code"])


def test_code_alone_can_fill_a_quota_and_its_owner_frees_it(
    ada: Person, service: RunningService
) -> None:
    same = b"shared by both" * 100
    task, first = ended(ada, b"x" * 50_000, same)
    _, second = ended(ada, b"y" * 10_000, same)
    assert (
        service.client.call("PUT", f"/users/{ada.id}/quota", {"quota_bytes": 70_000}).status < 300
    )
    full = ada.client.call("POST", "/blobs", b"\0" * 20480, {"Content-Type": "application/x-tar"})
    assert (full.status, full.json["code"]) == (409, "over-quota")
    shown = ada.client.get("/storage/code")["items"]
    assert [item["digest"] for item in shown] == [first, second], "what frees most stands first"
    assert shown[0]["recorded_by"] == ["1 ended task"] and shown[0]["blocked_by"] == []
    assert shown[0]["bytes"] - shown[0]["frees_bytes"] == len(same)
    refused = ada.client.call("DELETE", f"/storage/code/{first}")
    assert (refused.status, refused.json["code"]) == (409, "code-recorded")
    assert "1 ended task" in refused.json["title"] and "--recorded" in refused.json["hint"]
    before = stored_code(ada)
    gone = ada.client.call("DELETE", f"/storage/code/{first[7:19]}?recorded=true")
    assert gone.status == 200, gone.json
    assert gone.json["bytes"] == before - stored_code(ada) == shown[0]["frees_bytes"]
    assert ada.fetch(digest_of(same)) == 200, "another snapshot has it"
    assert ada.fetch(digest_of(b"x" * 50_000)) == 404
    again = ada.client.call("POST", f"/tasks/{task}/retry")
    assert (again.status, again.json["code"]) == (409, "code-removed")
    listing = ada.client.get(f"/tasks/{task}/code")
    assert listing["removed"] and listing["snapshot"] == first
    crate = ada.client.call("GET", f"/tasks/{task}/record/export")
    assert crate.status == 200, "the record stays"


def test_code_that_is_sent_again_is_there_again(ada: Person) -> None:
    task, digest = ended(ada, b"again")
    assert ada.client.call("DELETE", f"/storage/code/{digest}?recorded=true").status == 200
    ended(ada, b"again")
    assert ada.client.get(f"/tasks/{task}/code")["removed"] is None
    assert ada.client.call("POST", f"/tasks/{task}/retry").status == 201


def test_code_of_a_task_that_has_not_ended_stays(ada: Person) -> None:
    manifest = manifest_of(b"still to run")
    ada.send(manifest, b"still to run")
    assert ada.run(digest_of(manifest)).status == 201
    path = f"/storage/code/{digest_of(manifest)}?recorded=true"
    refused = ada.client.call("DELETE", path)
    assert (refused.status, refused.json["code"]) == (409, "code-in-use")
    assert "1 task that has not ended" in refused.json["title"]


def test_nobody_removes_or_learns_of_the_code_of_another(
    ada: Person, service: RunningService
) -> None:
    mallory = Person(service, "mallory")
    _, digest = ended(ada, b"ada's own")
    assert mallory.client.call("DELETE", f"/storage/code/{digest}?recorded=true").status == 404
    assert mallory.client.get("/storage/code")["items"] == []
    ended(mallory, b"ada's own")
    assert mallory.client.call("DELETE", f"/storage/code/{digest}?recorded=true").status == 200
    assert ada.fetch(digest) == 200
    assert mallory.client.call("DELETE", "/storage/code/%25_____").status == 400


def test_a_rule_removes_code_and_its_bytes_follow(tmp_path: Path, database_url: str) -> None:
    """Code that was never submitted goes as before; code of a task goes by the rule, and then from the disk."""
    blobs = FolderBlobStore(tmp_path / "blobs")
    program, snapshot = (digest_of(one)[7:] for one in (b"print()", manifest_of(b"print()")))
    (tmp_path / "code.tar").write_bytes(tar_of(b"print()", manifest_of(b"print()")))
    blobs.add_tar(tmp_path / "code.tar")
    for digest in (program, snapshot):
        os.utime(blobs.find(digest), (0, 0))
    old = time.time() - GRACE_SECONDS - 60

    async def look(store: Store) -> tuple[list[str], int]:
        await first_start(store)
        async with store.write() as tx:
            await put_rule(tx, StorageRuleRow(PERSON, LOCAL_USER, LOCAL_USER, None, None, 0.0, 30))
            code = {"snapshot": f"sha256:{snapshot}", "diff": ""}
            await tx.connection.execute(insert(jobs), {**job_values(), "code": code})
            ended = task_values("t0", time.time() - 31 * DAY)
            await tx.connection.execute(insert(tasks), ended)
            kinds = ((snapshot, ArtifactKind.SNAPSHOT), (program, ArtifactKind.FILE))
            await add_to_service(tx, LOCAL_USER, [Artifact(one, kind, 7) for one, kind in kinds])
            await mark_snapshot(tx, LOCAL_USER, snapshot, is_complete=True)
            await tx.connection.execute(update(artifacts).values(used=old))
        workers = Workers()
        services = SimpleNamespace(
            store=store, settings=Settings(tmp_path), blobs=blobs, workers=workers
        )
        await remove_due_code(cast("Services", services))
        await workers.close()
        async with store.read() as connection:
            rows = await connection.execute(select(removed_code.c.digest))
            removed = list(rows.scalars())
        return removed, await prune_blobs(store, blobs)

    assert with_store(tmp_path, database_url, look) == ([snapshot], 2)


def test_unused_code_goes_at_once_when_asked(ada: Person) -> None:
    """What was sent in the last minutes stays: its job may be about to be submitted."""
    ada.send(b"never submitted" * 1000)
    before = stored_code(ada)
    answer: Any = ada.client.call("DELETE", "/storage/code/unused")
    assert answer.json == {"digest": "", "bytes": 0}
    assert stored_code(ada) == before
