"""Results, models, datasets and records: agents of members who lie about them, and members who are curious. docs/security.md names each of these."""

from __future__ import annotations

import hashlib
import io
import json
import struct
import time
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, select

from diamond.data.manifest import FileEntry, write_manifest
from diamond.service.access.principal import LOCAL_USER
from diamond.service.maintenance.periodic import FORGOTTEN
from diamond.service.people.first_start import first_start
from diamond.service.platform.database.engine import Store
from diamond.service.platform.database.tables import record_links
from support.data_scene import added
from support.database import with_store
from support.people import add_person
from support.scene import Scene
from support.scripted_agent import ScriptedAgent
from support.service import RunningService
from support.waiting import wait_for

_numbers = count(1)
PIECE = 1 << 20


@dataclass
class Member:
    """A person whose own agent says whatever a test wants."""

    id: str
    scene: Scene
    waiting: list[dict[str, Any]] = field(default_factory=list)
    """Orders that no test has looked at."""

    def ended_task(self) -> str:
        task, attempt = self.scene.taken()
        self.scene.tell("submitted", task, attempt, native_id="1")
        self.scene.tell("started", task, attempt, run=1, native_id="1", node="n1")
        self.scene.tell("exited", task, attempt, run=1, exit_code=0)
        self.scene.tell("observed", task, attempt, status="ended", native_id="1", exit_code=0)
        return task

    def named_result(self) -> tuple[str, str]:
        """A task, and the scan that is to read its result."""
        task = self.ended_task()
        self.scene.client.post(f"/tasks/{task}/results", {"path": "artifacts"})
        return task, self.order("scan")["scan"]

    def order(self, act: str) -> dict[str, Any]:
        """The next one of a kind; those of other kinds wait for their turn."""

        def asked() -> list[dict[str, Any]]:
            commands = self.scene.agent.commands(wait=1)["commands"]
            self.scene.agent.commands(done=[one["id"] for one in commands])
            self.waiting += [one for one in commands if one["type"] == "data"]
            return [one for one in self.waiting if one["act"] == act]

        order = wait_for(asked, what=f"an order to {act}")[0]
        self.waiting.remove(order)
        return order

    def send_manifest(self, manifest: bytes, digest: str) -> int:
        path = f"manifest-bytes/{digest}?offset=0&size={len(manifest)}"
        return self.scene.agent.call(path, manifest).status

    def report(self, scan: str, tree: str, size: int) -> None:
        told = {"name": scan, "act": "scan", "state": "done", "tree": tree, "size": size}
        path = f"/w/tasks/{scan}"
        self.scene.agent.good("data-reports", {"items": [{**told, "files": 1, "path": path}]})

    def model(self, content: bytes) -> str:
        """A version of a model that lies on the machine, and whose copy the service wants; the model's name."""
        task, scan = self.named_result()
        manifest, digest = one_file(len(content), hashlib.sha256(content).hexdigest())
        assert self.send_manifest(manifest, digest) == 200
        self.report(scan, digest, len(content))
        name = f"model-{next(_numbers)}"
        self.scene.client.post(f"/models/{name}/versions", {"task": task})
        return name

    def send_piece(self, order: dict[str, Any], n: int, piece: bytes) -> int:
        path = f"data-bytes/{order['transfer']}?round={order['round']}&n={n}"
        return self.scene.agent.call(path, piece).status

    def safety(self, model: str) -> Any:
        return self.scene.client.get(f"/models/{model}/versions/newest/safety")


def one_file(size: int, sha256: str = 64 * "a") -> tuple[bytes, str]:
    out = io.BytesIO()
    summary = write_manifest([FileEntry("model.pt", size, sha256)], out)
    return out.getvalue(), summary.digest


def piece_of(content: bytes, offset: int, length: int, *, is_last: bool) -> bytes:
    frames = [(0, 0, offset, length), *([(0, 3, 0, 0)] if is_last else [])]
    head = struct.pack("<4sI", b"DPK1", len(frames))
    return head + b"".join(struct.pack("<IBQQ", *one) for one in frames) + content[offset:][:length]


@pytest.fixture
def people(service: RunningService) -> tuple[Member, Member]:
    return new_member(service, "ada"), new_member(service, "mallory")


def new_member(service: RunningService, name: str) -> Member:
    person, client = add_person(service, name)
    endpoint = f"h{next(_numbers)}"
    key = client.post("/endpoints", {"name": endpoint, "carrier": "local"})["key"]
    agent = ScriptedAgent(service.url, key, epoch=endpoint)
    agent.hello()
    return Member(person, Scene(service, client, agent, endpoint))


def set_quota(service: RunningService, member: Member, size: int) -> None:
    path = f"/users/{member.id}/quota"
    assert service.client.call("PUT", path, {"quota_bytes": size}).status == 200


def test_a_size_that_an_agent_makes_up_does_not_pass_the_quota(
    service: RunningService, people: tuple[Member, Member]
) -> None:
    """It reports one byte, and sends a list of files that says ten million when nobody compares any more."""
    mallory = people[1]
    set_quota(service, mallory, 1_000_000)
    task, scan = mallory.named_result()
    mallory.named_result()  # So that one scan stays open.
    manifest, digest = one_file(10_000_000)
    mallory.report(scan, digest, size=1)
    assert mallory.send_manifest(manifest, digest) == 200
    made = mallory.scene.client.post("/models/large/versions", {"task": task})
    assert made["size"] == 10_000_000
    refused = mallory.scene.client.call("POST", "/models/large/versions/newest/keep")
    assert (refused.status, refused.json["code"]) == (409, "over-quota")
    wait_for(lambda: "no room" in mallory.safety("large")["message"], what="the reason")


def test_a_copy_ends_when_it_passes_the_quota_on_its_way(
    service: RunningService, people: tuple[Member, Member]
) -> None:
    mallory = people[1]
    content = bytes(range(256)) * (5 * PIECE // 256)
    set_quota(service, mallory, 50_000_000)
    model = mallory.model(content)
    order = mallory.order("send")
    assert mallory.send_piece(order, 0, piece_of(content, 0, PIECE, is_last=False)) == 200
    set_quota(service, mallory, 100_000)
    n = count(1)

    def ended() -> bool:
        offset = next(n) * PIECE
        piece = piece_of(content, offset, PIECE, is_last=False)
        if offset < 4 * PIECE and mallory.send_piece(order, offset // PIECE, piece) != 200:
            return True
        return bool(mallory.safety(model)["state"] != "copying")

    wait_for(ended, what="the end of the copy")
    wait_for(lambda: "no room" in mallory.safety(model)["message"], what="the reason")
    assert not list(service.home.rglob(f"arriving/{order['transfer']}/**/model.pt"))


def test_many_copies_of_one_person_delay_nobody_else(people: tuple[Member, Member]) -> None:
    """Their source is online and silent; somebody else's copy is taken meanwhile."""
    ada, mallory = people
    for n in range(3):
        mallory.model(b"never sent %d" % n)
    mallory.order("send")
    model = ada.model(b"weights")
    order = ada.order("send")
    assert ada.send_piece(order, 0, piece_of(b"weights", 0, 7, is_last=True)) == 200
    wait_for(lambda: ada.safety(model)["state"] == "kept", what="ada's copy")


def test_an_agent_begins_only_some_lists_of_files(people: tuple[Member, Member]) -> None:
    mallory = people[1]
    mallory.named_result()
    answers = [
        mallory.scene.agent.call(f"manifest-bytes/{n:064x}?offset=0&size=99", b"x").status
        for n in range(12)
    ]
    assert answers == [200] * 8 + [429] * 4


def test_lists_of_files_count_against_the_quota(
    service: RunningService, people: tuple[Member, Member]
) -> None:
    mallory = people[1]
    mallory.named_result()
    manifest, digest = one_file(1)
    assert mallory.send_manifest(manifest, digest) == 200
    stored = mallory.scene.client.get("/storage")["service"]
    assert stored["copies"] == len(manifest)
    set_quota(service, mallory, 0)
    other = new_member(service, "eve")
    set_quota(service, other, 0)
    other.named_result()
    assert other.send_manifest(*one_file(2)) == 409


def test_an_agent_names_results_of_its_own_tasks_alone(people: tuple[Member, Member]) -> None:
    ada, mallory = people
    task, attempt = ada.scene.taken()
    line = json.dumps({"results": [{"name": "mine", "path": "x"}]}).encode() + b"\n"
    part = {"task": task, "attempt": attempt, "run": 1, "stream": "facts", "offset": 0}
    head = json.dumps({"parts": [{**part, "length": len(line)}]}).encode() + b"\n"
    mallory.scene.agent.call("bytes", head + line)
    assert ada.scene.client.get(f"/tasks/{task}/results")["items"] == []


def test_a_program_cannot_name_results_without_end(people: tuple[Member, Member]) -> None:
    mallory = people[1]
    task, attempt = mallory.scene.taken()
    mallory.scene.tell("started", task, attempt, run=1, native_id="1", node="n1")
    named = [{"results": [{"name": f"r{n}", "path": f"out/{n}"}]} for n in range(80)]
    text = "".join(json.dumps(one) + "\n" for one in named).encode()
    part = {"task": task, "attempt": attempt, "run": 1, "stream": "facts", "offset": 0}
    mallory.scene.agent.bytes((part, text))
    assert len(mallory.scene.client.get(f"/tasks/{task}/results")["items"]) == 50


def test_an_agent_ends_no_scan_or_transfer_of_another(people: tuple[Member, Member]) -> None:
    ada, mallory = people
    task, scan = ada.named_result()
    manifest, digest = one_file(7)
    assert mallory.send_manifest(manifest, digest) == 404, "it has no scan of its own"
    mallory.report(scan, digest, 7)
    assert ada.scene.client.get(f"/tasks/{task}/results")["items"][0]["state"] == "waiting"
    model = ada.model(b"weights of ada")
    order = ada.order("send")
    assert mallory.send_piece(order, 0, b"lies") == 404
    assert ada.safety(model)["state"] == "copying"


PATHS = (
    "/models/{model}",
    "/models/{model}/versions/newest/manifest",
    "/models/{model}/versions/newest/content?path=model.pt",
    "/models/{model}/versions/newest/safety",
    "/models/{model}/card",
    "/tasks/{task}/results",
    "/tasks/{task}/record",
    "/tasks/{task}/record/verify",
    "/tasks/{task}/record/export",
    "/datasets/{dataset}",
    "/datasets/{dataset}/files",
    "/datasets/{dataset}/places",
    "/datasets/additions/{addition}",
)


def test_a_curious_member_gets_the_same_answer_as_for_what_never_was(
    people: tuple[Member, Member],
) -> None:
    ada, mallory = people
    addition = added(ada.scene, f"d{next(_numbers)}")
    names = {
        "task": ada.ended_task(),
        "model": ada.scene.client.post("/models", {"name": f"m{next(_numbers)}"})["id"],
        "dataset": ada.scene.client.get(f"/datasets/{addition['dataset']}")["id"],
        "addition": addition["id"],
    }
    never = {name: value[0] + "".join(reversed(value[1:])) for name, value in names.items()}
    for path in PATHS:
        real, made_up = (
            mallory.scene.client.call("GET", path.format(**ids)) for ids in (names, never)
        )
        assert (real.status, made_up.status) == (404, 404), (path, real.body, made_up.body)
        answers = [real.body, made_up.body]
        for name, value in names.items():
            answers[0] = answers[0].replace(value.encode(), b"?")
            answers[1] = answers[1].replace(never[name].encode(), b"?")
        assert answers[0] == answers[1], path


def test_links_for_reviewers_are_forgotten_some_time_after_they_expire(tmp_path: Path) -> None:
    now = time.time()

    async def tidy(opened: Store) -> list[str]:
        await first_start(opened)
        rows = [
            {"id": name, "owner": LOCAL_USER, "hash": name, "title": "", "tasks": [], "options": {}}
            | {"created": 0.0, "expires": expires}
            for name, expires in (("old", now - 90 * 86400), ("late", now - 60), ("good", now + 60))
        ]
        async with opened.write() as tx:
            await tx.connection.execute(insert(record_links), rows)
        for forget in FORGOTTEN:
            await opened.run(forget)
        async with opened.read() as connection:
            return list((await connection.execute(select(record_links.c.id))).scalars())

    assert sorted(with_store(tmp_path, "", tidy)) == ["good", "late"]
