"""A spec means what a person meant."""

from __future__ import annotations

import json
import tarfile
from io import BytesIO
from pathlib import Path

import pytest

from diamond.core.errors import BadRequest, InvalidSpec
from diamond.sdk import Client
from diamond.sdk.script_check import script_in_command
from diamond.sdk.specs import (
    load_spec,
    parse_spec,
    spec_from_command,
    with_fields,
    with_name,
    with_settings,
)
from diamond.sdk.transport import API
from support.small_server import Reply, Request, serving


def test_yaml_is_read_as_people_write_it() -> None:
    text = "on: auto\nparams: {lr: 1e-3, n: 010, yes: no, day: 2024-01-02, t: true}\nresources: {walltime: 12:00:00}"
    assert parse_spec(text) == {
        "on": "auto",
        "params": {"lr": 0.001, "n": "010", "yes": "no", "day": "2024-01-02", "t": True},
        "resources": {"walltime": "12:00:00"},
    }


@pytest.mark.parametrize(
    "text", ["a: [", "- a", "a: 1\na: 2", "!!python/object/apply:os.system [x]"]
)
def test_a_bad_spec_is_answered_in_words(text: str) -> None:
    with pytest.raises(InvalidSpec):
        parse_spec(text)


def test_a_missing_spec_names_the_other_way(tmp_path: Path) -> None:
    with pytest.raises(BadRequest) as caught:
        load_spec(tmp_path / "no.yaml")
    assert "--" in caught.value.hint


def test_settings_reach_parameters_and_fields() -> None:
    spec = {"run": "x {lr} {new}", "params": {"lr": 1}}
    changed = with_settings(spec, ["lr=0.5", "new=a=b", "resources.nodes=2", "account=abc"])
    assert changed["params"] == {"lr": 0.5, "new": "a=b"}
    assert changed["resources"] == {"nodes": 2} and changed["account"] == "abc"
    assert spec == {"run": "x {lr} {new}", "params": {"lr": 1}}


def test_a_setting_that_nothing_reads_is_refused() -> None:
    with pytest.raises(InvalidSpec, match="momentum") as caught:
        with_settings({"run": "x {lr}", "params": {"lr": 1}}, ["momentum=1"])
    assert "lr" in caught.value.hint
    with pytest.raises(BadRequest):
        with_settings({"run": "x"}, ["lr"])


def test_a_command_keeps_its_words() -> None:
    words = ["python", "train.py", "--name", "a b; $(x)"]
    assert spec_from_command(words) == {"name": "train", "run": words}
    assert with_fields({"run": words}, {"resources.nodes": 2})["resources"] == {"nodes": 2}


class Blobs:
    """Takes jobs and blobs as the service does; a spec whose name is `bad` has a fault."""

    def __init__(self) -> None:
        self.blobs: dict[str, bytes] = {}
        self.jobs: list[dict[str, object]] = []

    def __call__(self, request: Request) -> Reply:
        if request.path == f"{API}/blobs/missing":
            asked = json.loads(request.body)["digests"]
            missing = [one for one in asked if one.removeprefix("sha256:") not in self.blobs]
            return Reply(json.dumps({"missing": missing}).encode())
        if request.path == f"{API}/blobs":
            with tarfile.open(fileobj=BytesIO(request.body)) as archive:
                for member in archive:
                    content = archive.extractfile(member)
                    assert content
                    self.blobs[member.name] = content.read()
            return Reply(b'{"stored": 1}', 201)
        if request.path == f"{API}/jobs/check":
            return self.check(json.loads(request.body)["spec"])
        self.jobs.append(json.loads(request.body))
        return Reply(b'{"job": {"id": "j1"}, "tasks": [{"id": "t1"}]}', 201)

    def check(self, spec: dict[str, object]) -> Reply:
        assert spec.get("code") is None, "a folder is nothing to the service before it was sent"
        if spec.get("name") != "bad":
            return Reply(b'{"order": {}, "endpoint": "local", "warnings": []}')
        fault = {"field": "name", "message": "is bad", "hint": ""}
        problem = {"title": "one fault", "code": "invalid-spec", "faults": [fault]}
        return Reply(json.dumps(problem).encode(), 422)


def test_code_travels_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIAMOND_HOME", str(tmp_path / "home"))
    code = tmp_path / "code"
    code.mkdir()
    (code / "diamond.yaml").write_text("run: python train.py\ncode: .\n")
    (code / "train.py").write_text("print(1)\n")
    (code / ".env").write_text("SECRET=1")
    service = Blobs()
    with serving(service) as server:
        client = Client(server.url, "t")
        heard: list[str] = []
        first = client.run(code / "diamond.yaml", say=heard.append)
        sent = len(service.blobs)
        client.run(code)
        uploads = [one for one in server.requests if one.path == f"{API}/blobs"]
    assert heard == ["Uploading 2 of 2 files"]
    assert first.task.id == "t1" and "Not uploaded: .env" in first.warnings[0]
    assert sent == len(service.blobs) == 3 and len(uploads) == 1
    assert b"print(1)\n" in service.blobs.values() and b"SECRET=1" not in service.blobs.values()
    code_sent = service.jobs[0]["code"]
    assert isinstance(code_sent, dict) and code_sent["files"] == 2


def test_a_folder_that_is_no_project_stays_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "big.bin").write_text("x")
    service = Blobs()
    with serving(service) as server:
        job = Client(server.url, "t").run(["echo", "hi"])
    assert "code" not in service.jobs[0] and "No code is uploaded" in job.warnings[0]


def test_faults_come_before_anything_is_sent(tmp_path: Path) -> None:
    (tmp_path / "diamond.yaml").write_text("name: bad\nrun: x\ncode: nowhere\n")
    with serving(Blobs()) as server:
        with pytest.raises(InvalidSpec) as caught:
            Client(server.url, "t").run(tmp_path)
        assert [one.path for one in server.requests] == [f"{API}/jobs/check"]
    assert [fault["field"] for fault in caught.value.faults] == ["name", "code"]


def test_a_check_sends_nothing_and_tells_what_would_travel(tmp_path: Path) -> None:
    (tmp_path / "diamond.yaml").write_text("run: x\ncode: .\n")
    (tmp_path / ".env").write_text("SECRET=1")
    with serving(Blobs()) as server:
        told = Client(server.url, "t").check(tmp_path)
        assert [one.path for one in server.requests] == [f"{API}/jobs/check"]
    assert told["code"]["files"] == 1 and ".env" in told["code"]["left_out"][0]


def test_a_file_that_would_stay_behind_stops_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text("")
    with serving(Blobs()) as server:
        client = Client(server.url, "t")
        with pytest.raises(BadRequest, match=r"train.py is a local file") as caught:
            client.run(["python", "train.py"])
        assert "--set code=." in caught.value.hint and "--no-code" in caught.value.hint
        assert client.run(["python", "train.py"], with_code=False).warnings == []
        assert client.run(["python", "-c", "x" * 5000]).task.id == "t1"


def test_a_program_that_is_not_there_is_told_with_the_other_faults(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("")
    (tmp_path / "diamond.yaml").write_text("name: bad\nrun: python trian.py --lr 1\n")
    with serving(Blobs()) as server:
        with pytest.raises(InvalidSpec) as caught:
            Client(server.url, "t").run(tmp_path)
        assert [one.path for one in server.requests] == [f"{API}/jobs/check"]
    assert [fault["field"] for fault in caught.value.faults] == ["name", "run"]
    assert "Did you mean train.py?" in caught.value.faults[1]["hint"]


def test_a_program_that_is_nowhere_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with serving(Blobs()) as server:
        client = Client(server.url, "t")
        with pytest.raises(InvalidSpec, match=r"run: There is no file 'nosuch.py'"):
            client.run(["python3", "-u", "nosuch.py"])
        assert client.run(["python3", "nosuch.py"], with_code=False).task.id == "t1"


@pytest.mark.parametrize(
    ("run", "script"),
    [
        ("python train.py --lr 1", "train.py"),
        (["/usr/bin/python3.11", "-uB", "src/train.py"], "src/train.py"),
        ("bash job.sh", "job.sh"),
        ("python -m train.py", ""),
        ("python -c pass x.py", ""),
        ("cd src && python train.py", ""),
        ("python {script}.py", ""),
        ("python $HOME/train.py", ""),
        ("torchrun train.py", ""),
        (["python", "~/train.py"], ""),
        (None, ""),
    ],
)
def test_the_script_of_a_plain_command_is_known(run: object, script: str) -> None:
    assert script_in_command(run) == script


@pytest.mark.parametrize(
    ("spec", "folder", "name"),
    [
        ({"run": "x"}, "my project!", "my-project"),
        ({"run": "x", "name": "own"}, "folder", "own"),
        ({"run": "cd src && python train.py --lr 1"}, "", "train"),
        ({"run": ["/opt/bin/tool", "x"]}, "", "tool"),
        ({"run": "echo 'open"}, "", "echo"),
        ({}, "", "job"),
    ],
)
def test_a_job_is_called_after_its_folder_or_program(
    spec: dict[str, object], folder: str, name: str
) -> None:
    assert with_name(spec, folder)["name"] == name


@pytest.mark.parametrize("files", ["settings.txt", ["settings.txt"], {"from": "a"}, 5, [None]])
def test_files_of_an_environment_that_are_no_list_of_files_are_left_to_the_service(
    files: object, tmp_path: Path
) -> None:
    environment = {"files": files}
    assert (
        Client(url="http://127.0.0.1:1", token="x").with_files(environment, tmp_path) == environment
    )
