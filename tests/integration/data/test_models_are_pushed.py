"""Folders from anywhere become versions of models, are kept where their owner says, and are read by other jobs."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from diamond.core.errors import Conflict, NotFound
from diamond.sdk.client import Client
from support.people import add_person
from support.service import RunningService
from support.tree_scene import DataMachine
from support.waiting import wait_for

MEGABYTE = 1 << 20


@pytest.fixture(scope="module")
def client(service: RunningService) -> Client:
    return Client(service.url, service.token)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "weights"
    place.mkdir()
    (place / "config.json").write_text("{}")
    (place / "model.safetensors").write_bytes(os.urandom(9 * MEGABYTE))
    return place


def ended(client: Client, task: str) -> Any:
    found = client.wait(task, timeout=90)
    assert found.state == "succeeded", found.message
    return found


def test_a_folder_of_this_computer_is_pushed_and_read_by_a_job(
    client: Client, alpha: DataMachine, folder: Path
) -> None:
    version = client.push_model("pushed", folder, note="from a laptop", tags=["v-one"])
    assert (version["number"], version["files"], version["format"]) == (1, 2, "transformers")
    assert (version["task"], version["note"]) == (None, "from a laptop")
    safety = client.model_safety("pushed")
    assert (safety["state"], safety["places"]) == ("kept", ["service"])
    assert client.push_model("pushed", folder)["number"] == 1
    run = "sha256sum $DIAMOND_DATA/weights/model.safetensors"
    data = {"weights": "model:pushed@v1"}
    spec = {"name": "reads", "run": run, "data": data, "on": "alpha"}
    job = client.run(spec, wait=True, with_code=False)
    task = ended(client, job.task.id)
    assert task.raw["order"]["trees"]["weights"]["digest"] == version["digest"].partition(":")[2]
    graph = client.lineage(str(version["digest"]), direction="forward")
    assert task.id in {node["id"] for node in graph["nodes"]}


def test_a_push_that_broke_off_continues(
    client: Client, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the first piece the connection is gone; the next try sends only the rest."""
    from diamond.sdk import data_upload

    monkeypatch.setattr(data_upload, "PIECE", MEGABYTE)
    real = data_upload._post
    sent: list[int] = []

    def post(transport: Any, base: str, number: int, n: int, body: bytes) -> int:
        if len(sent) == 4:
            raise ConnectionError("cut")
        sent.append(len(body))
        return real(transport, base, number, n, body)

    monkeypatch.setattr(data_upload, "_post", post)
    with pytest.raises(ConnectionError):
        client.push_model("cut-push", folder)
    with pytest.raises(NotFound):
        client.model("cut-push")
    again: list[int] = []

    def counted(transport: Any, base: str, number: int, n: int, body: bytes) -> int:
        again.append(len(body))
        return real(transport, base, number, n, body)

    monkeypatch.setattr(data_upload, "_post", counted)
    assert client.push_model("cut-push", folder)["number"] == 1
    assert sum(again) < 8 * MEGABYTE


def test_a_folder_of_an_endpoint_is_read_where_it_lies(
    client: Client, alpha: DataMachine, folder: Path
) -> None:
    version = client.push_model("there", folder, on="alpha", format="safetensors")
    assert version["files"] == 2
    safety = wait_for(lambda: _kept(client, "there"), what="a kept copy")
    assert safety["places"] == ["alpha", "service"]
    with pytest.raises(Conflict, match="/no/such"):
        client.push_model("there", "/no/such/folder", on="alpha")


def test_copies_of_a_model_are_kept_on_an_endpoint_of_choice(
    client: Client, alpha: DataMachine, beta: DataMachine, folder: Path
) -> None:
    (folder / "more").write_text("other content")
    client.create_model("on-beta")
    client.change_model("on-beta", kept_on="beta")
    client.push_model("on-beta", folder, on="alpha")
    safety = wait_for(lambda: _kept(client, "on-beta"), what="a copy on beta")
    assert "on beta" in safety["message"] and "beta" in safety["places"]
    assert "service" not in safety["places"]
    with pytest.raises(NotFound):
        client.change_model("on-beta", kept_on="nowhere")


def test_cleaning_up_never_removes_the_last_copy(
    client: Client, service: RunningService, alpha: DataMachine
) -> None:
    spec = {"name": "last", "run": "mkdir artifacts; date +%N >artifacts/w", "on": "alpha"}
    task = client.run(spec, wait=True, with_code=False).task.id
    wait_for(lambda: [one["state"] for one in client.results(task)] == ["ready"], what="result")
    client.add_model_version("last-copy", task=task)
    wait_for(lambda: _kept(client, "last-copy"), what="a kept copy")
    listed = client.clean("alpha", {"tasks": [task], "dry_run": True})
    assert [item["task"] for item in listed["items"]] == [task] and listed["kept"] == []

    client.create_model("last-too")
    client.change_model("last-too", kept_on="alpha")
    spec["run"] = "mkdir artifacts; date +%N%N >artifacts/w"
    other = client.run(spec, wait=True, with_code=False).task.id
    wait_for(lambda: [one["state"] for one in client.results(other)] == ["ready"], what="result")
    version = client.add_model_version("last-too", task=other)
    listed = client.clean("alpha", {"tasks": [other], "dry_run": False})
    assert (listed["items"], listed["kept"]) == ([], [other])
    artifacts = alpha.work / "tasks" / other / "run" / "artifacts"
    place = alpha.keep / "data" / f"{version['digest'].partition(':')[2]}.in-place.json"
    wait_for(lambda: '"pinned": true' in place.read_text(), what="a pinned place")
    assert artifacts.exists()

    # The service keeps what is newer than the list that an agent sends, by a second.
    wait_for(lambda: time.time() - place.stat().st_mtime > 1.5, what="a place that is not new")
    shutil.rmtree(artifacts)
    alpha.kill()
    alpha.start()
    wait_for(lambda: client.model_safety("last-too")["state"] == "lost", what="lost")


def test_what_made_a_version_is_run_again_with_it(client: Client, alpha: DataMachine) -> None:
    run = "mkdir artifacts; cat $DIAMOND_DATA/weights/w 2>/dev/null >artifacts/w; echo {step} >>artifacts/w"
    spec = {"name": "made", "run": run, "params": {"step": 1}, "on": "alpha"}
    task = client.run(spec, wait=True, with_code=False).task.id
    wait_for(lambda: [one["state"] for one in client.results(task)] == ["ready"], what="result")
    client.add_model_version("tuned", task=task)
    wait_for(lambda: _kept(client, "tuned"), what="a kept copy")
    found = client.model_tuning("tuned")
    assert found["spec"]["data"] == {"weights": "model:tuned@v1"} and found["task"] == task
    again = ended(client, client.tune("tuned", set=["step=2"], wait=True).task.id)
    assert (alpha.work / "tasks" / again.id / "run" / "artifacts" / "w").read_text() == "1\n2\n"


def test_a_paper_needs_the_records_of_a_model_and_of_a_view(
    client: Client, tmp_path: Path, alpha: DataMachine
) -> None:
    made = client.record_set("tuned@v1")
    assert len(made) == 1 and client.task(made[0]).name == "made"
    client.save_view("for-the-paper", {"filter": ["name=made"], "column": ["name"]})
    assert client.record_set("for-the-paper") == made
    crate = client.export_records(client.record_set("tuned"), tmp_path)
    assert crate.stat().st_size > 1000
    with pytest.raises(NotFound, match="no task, pipeline, study, saved view or model"):
        client.record_set("nothing-like-it")


def test_a_pulled_folder_is_what_plain_torch_loads(client: Client, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    safetensors = pytest.importorskip("safetensors.torch")
    module = torch.nn.Linear(4, 3)
    folder = tmp_path / "saved"
    folder.mkdir()
    safetensors.save_file(module.state_dict(), folder / "model.safetensors")
    torch.save(module.state_dict(), folder / "model.pt")
    assert client.push_model("linear", folder)["format"] == "safetensors"
    pulled = client.pull_model("linear", tmp_path / "pulled")
    for weights in (
        safetensors.load_file(pulled / "model.safetensors"),
        torch.load(pulled / "model.pt", weights_only=True),
    ):
        other = torch.nn.Linear(4, 3)
        other.load_state_dict(weights)
        assert torch.equal(other.weight, module.weight)
    written = {file.name for file in client.add_hub_files("linear", pulled)}
    assert written == {"README.md", ".gitattributes", "diamond.json"}
    assert (pulled / "README.md").read_text().startswith("---\n")


def test_strangers_push_and_read_nothing_of_others(
    client: Client, service: RunningService, folder: Path
) -> None:
    (folder / "mine").write_text("private")
    version = client.push_model("private-push", folder)
    _, stranger = add_person(service, "push-stranger")
    digest = version["digest"]
    pushed = stranger.call("POST", "/models/stolen/pushes", {"digest": digest})
    assert pushed.status == 404 and "There is no data" in pushed.json["title"]
    assert stranger.call("POST", "/models/stolen/versions", {"digest": digest}).status == 404
    body = {"spec": {"name": "x", "run": "true", "data": {"w": "model:private-push"}}}
    assert stranger.call("POST", "/jobs", body).status in (409, 422)
    for path in ("", "/versions/newest/tuning", "/versions/newest/manifest", "/card"):
        assert stranger.call("GET", f"/models/private-push{path}").status == 404
    assert stranger.call("GET", f"/lineage?of={digest}").status == 404


def _kept(client: Client, model: str) -> Any:
    found = client.model_safety(model)
    return found if found["state"] == "kept" else None
