"""Records leave as crates, through links and into repositories, without what must stay; crates of others are shown."""

from __future__ import annotations

import io
import json
import subprocess
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from diamond.core.errors import BadRequest, NotFound
from diamond.sdk.client import Client
from diamond.sdk.deposit import DepositSite
from support.crates import PROFILES, faults, seed_cache
from support.http import Client as Stranger
from support.people import add_person
from support.scene import Scene, new_scene
from support.service import RunningService

PROGRAM = """\
import json, os
from diamond import training
params = json.load(open(os.environ["DIAMOND_PARAMS"]))
training.seed(int(params["seed"]))
training.log(1, loss=params["lr"])
open("result.txt", "w").write("trained with " + str(params["lr"]))
"""
TOKEN = "t0p-s3cret"


@pytest.fixture
def scene(first_sqlite: RunningService) -> Scene:
    return new_scene(first_sqlite)


@pytest.fixture
def client(scene: Scene) -> Client:
    return Client(scene.service.url, scene.service.token)


@pytest.fixture
def task(scene: Scene, client: Client, tmp_path: Path) -> str:
    """A task with code that has ended."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "train.py").write_text(PROGRAM)
    spec = {
        "name": "digits",
        "run": "python3 train.py",
        "params": {"lr": 0.5, "seed": 7},
        "on": scene.name,
        "code": ".",
    }
    job = client.run(spec, folder=folder)
    made = job.tasks[0]
    commands = scene.agent.commands(wait=5)["commands"]
    scene.agent.commands(done=[one["id"] for one in commands])
    attempt = made.attempt
    scene.tell("submitted", made.id, attempt, native_id="7")
    scene.tell("started", made.id, attempt, run=1, node="secret-node")
    scene.tell("exited", made.id, attempt, run=1, exit_code=0)
    return made.id


def unpacked(crate: Path, folder: Path) -> Path:
    with zipfile.ZipFile(crate) as archive:
        assert archive.testzip() is None
        archive.extractall(folder)
    return folder


def test_an_exported_crate_is_valid_and_runs_without_diamond(
    client: Client, task: str, tmp_path: Path
) -> None:
    crate = client.export_records([task], tmp_path, parts=["code", "lock"])
    folder = unpacked(crate, tmp_path / "clean")
    cache = seed_cache(tmp_path)
    assert [faults(folder, profile, cache) for profile in PROFILES] == [[], [], []]
    done = subprocess.run(
        ["bash", "run.sh"],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (folder / "run" / "result.txt").read_text() == "trained with 0.5"
    assert json.loads((folder / "run" / "metrics.jsonl").read_text())["loss"] == 0.5


def test_what_is_sealed_stays(scene: Scene, client: Client, task: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(client.export_records([task], tmp_path, blind=True)) as archive:
        text = b"".join(archive.read(name) for name in archive.namelist()).decode()
    for hidden in (scene.name, "secret-node", "/w/tasks", scene.client.get("/me")["name"]):
        assert f'"{hidden}"' not in text, hidden


def test_a_set_of_tasks_becomes_one_crate(scene: Scene, client: Client, tmp_path: Path) -> None:
    made = [scene.submit(name=f"paper-{scene.name}-{n}")["id"] for n in range(3)]
    crate = client.export_records([], tmp_path, matching={"name": f"paper-{scene.name}"})
    with zipfile.ZipFile(crate) as archive:
        names = archive.namelist()
    assert all(f"tasks/{task}/record.jsonl" in names for task in made)
    folder = unpacked(crate, tmp_path / "set")
    assert faults(folder, PROFILES[0], seed_cache(tmp_path)) == []


def test_an_exported_crate_is_imported_and_verified(
    client: Client, task: str, tmp_path: Path
) -> None:
    crate = client.export_records([task], tmp_path)
    shown = client.import_crate(crate)
    record = shown["records"][0]
    assert record["is_whole"]
    assert record["seeds"] == {"seed": "7"}
    assert [one["kind"] for one in record["entries"]] == ["submitted", "attempt", "ended"]
    assert client.imported_crate(shown["id"])["records"][0]["head"] == record["head"]
    changed = tmp_path / "changed.zip"
    with zipfile.ZipFile(crate) as source, zipfile.ZipFile(changed, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            if name == "record.jsonl":
                content = content.replace(b'"exit_code":0', b'"exit_code":9', 1)
            target.writestr(name, content)
    fault = client.import_crate(changed)["records"][0]["fault"]
    assert fault["n"] == 3
    client.forget_crate(shown["id"])
    with pytest.raises(NotFound):
        client.imported_crate(shown["id"])


def test_a_crate_that_reaches_outside_is_rejected_and_leaves_nothing(
    scene: Scene, client: Client, tmp_path: Path
) -> None:
    place = tmp_path / "evil.zip"
    with zipfile.ZipFile(place, "w") as archive:
        archive.writestr("ro-crate-metadata.json", '{"@graph": []}')
        archive.writestr("../../evil", "x")
    with pytest.raises(BadRequest, match="outside"):
        client.import_crate(place)
    assert not list((scene.service.home / "scratch").glob("u*"))


def test_an_imported_crate_is_its_owner_s_alone(
    scene: Scene, client: Client, task: str, tmp_path: Path
) -> None:
    shown = client.import_crate(client.export_records([task], tmp_path))
    _, other = add_person(scene.service, "eve")
    assert other.call("GET", f"/records/imports/{shown['id']}").status == 404
    assert other.call("DELETE", f"/records/imports/{shown['id']}").status == 404


def test_a_link_shows_records_without_names_until_it_is_withdrawn(
    scene: Scene, client: Client, task: str
) -> None:
    made = client.make_record_link([task], days=1, title="Submission 17")
    stranger = Stranger(scene.service.url)
    path = f"/records/review/{made['secret']}"
    answer = stranger.call("GET", path)
    assert answer.headers["x-robots-tag"].startswith("noindex")
    review = answer.json
    assert review["items"][0]["check"]["is_whole"]
    text = answer.body.decode()
    for hidden in (scene.name, "secret-node", scene.client.get("/me")["name"]):
        assert f'"{hidden}"' not in text
    crate = stranger.call("GET", f"{path}/crate")
    with zipfile.ZipFile(io.BytesIO(crate.body)) as archive:
        assert "record.jsonl" in archive.namelist()
    assert client.record_links()[0]["uses"] == 2
    client.withdraw_record_link(made["id"])
    for gone in (path, f"{path}/crate", "/records/review/guess"):
        assert stranger.call("GET", gone).status == 404


def test_nobody_makes_a_link_to_somebody_else_s_task(scene: Scene, task: str) -> None:
    _, other = add_person(scene.service, "mallory")
    assert other.call("POST", "/records/links", {"tasks": [task]}).status == 404
    assert other.call("POST", "/records/export", {"tasks": [task]}).status == 404


class Repository(BaseHTTPRequestHandler):
    """Stands in for Zenodo: the calls of InvenioRDM that a deposit makes, in their order."""

    calls: list[tuple[str, str]] = []
    content = b""
    draft: dict[str, Any] = {}

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self._answer("POST", body)

    def do_PUT(self) -> None:
        Repository.content = self.rfile.read(int(self.headers["Content-Length"]))
        self._answer("PUT", b"{}")

    def _answer(self, method: str, body: bytes) -> None:
        Repository.calls.append((method, self.path))
        status, answer = 201, {"id": "42", "links": {"self_html": "https://repository/records/42"}}
        if self.headers["Authorization"] != f"Bearer {TOKEN}":
            status, answer = 403, {"message": f"no: {self.headers['Authorization']}"}
        elif self.path == "/api/records":
            Repository.draft = json.loads(body)
        elif self.path.endswith(("/pids/doi", "/publish")):
            answer["pids"] = {"doi": {"identifier": "10.5072/42"}}
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def repository() -> Iterator[str]:
    Repository.calls, Repository.content, Repository.draft = [], b"", {}
    server = ThreadingHTTPServer(("127.0.0.1", 0), Repository)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


ABOUT = {"title": "Digits", "creators": ["Lovelace, Ada"], "license": "cc-by-4.0"}


def test_a_crate_is_deposited_for_a_doi(client: Client, task: str, repository: str) -> None:
    site = DepositSite(repository, TOKEN)
    done = client.deposit_records([task], site, {**ABOUT, "publish": True})
    assert (done.doi, done.is_published) == ("10.5072/42", True)
    steps = [path.rpartition("/")[2] for _, path in Repository.calls]
    assert steps == ["records", "doi", "files", "content", "commit", "publish"]
    assert Repository.draft["metadata"]["creators"][0]["person_or_org"]["family_name"] == "Lovelace"
    with zipfile.ZipFile(io.BytesIO(Repository.content)) as archive:
        assert "ro-crate-metadata.json" in archive.namelist()


def test_a_refused_deposit_shows_no_token(client: Client, task: str, repository: str) -> None:
    wrong = DepositSite(repository, "wr0ng-t0ken")
    with pytest.raises(BadRequest) as refused:
        client.deposit_records([task], wrong, ABOUT)
    assert "wr0ng-t0ken" not in str(refused.value)
    assert "403" in refused.value.message
    with pytest.raises(BadRequest, match="https"):
        client.deposit_records([task], DepositSite("http://zenodo.example", TOKEN), ABOUT)
