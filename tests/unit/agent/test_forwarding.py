"""Forwarding to the person's own server: where the key goes, and that nothing is sent twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from diamond.agent.folders import Folders
from diamond.agent.forwarding.forwarder import forward_store
from diamond.agent.forwarding.mlflow_server import MlflowServer
from diamond.agent.forwarding.target import MLFLOW, ForwardFailed, Target, read_target
from diamond.agent.tasks.folders import AttemptFolder, TaskFolders
from support.small_server import Reply, Request, serving


@pytest.fixture
def folder(tmp_path: Path) -> AttemptFolder:
    folders = Folders(tmp_path / "keep", tmp_path / "work", tmp_path)
    folders.make()
    return TaskFolders(folders).record("t1", "a1", 1, {"task": "t1"})


@pytest.fixture
def metric(folder: AttemptFolder) -> Path:
    run = folder.run_dir / "mlruns" / "1" / "r1"
    (run / "metrics").mkdir(parents=True)
    (run / "params").mkdir()
    (run / "params" / "lr").write_text("0.1")
    (run / "meta.yaml").write_text("run_name: 'first'\nstatus: 3\nstart_time: 1\nend_time: 2\n")
    (run.parent / "meta.yaml").write_text("name: e\n")
    file = run / "metrics" / "loss"
    file.write_text("1700000000500 0.5 0\n1700000001500 nan 1\n")
    return file


def answer(request: Request) -> Reply:
    """As MLflow would, for a server without runs."""
    replies = {
        "get-by-name": {"experiment": {"experiment_id": "7"}},
        "runs/search": {},
        "runs/create": {"run": {"info": {"run_id": "there"}}},
    }
    found = next((value for end, value in replies.items() if request.path.endswith(end)), {})
    return Reply(json.dumps(found).encode())


def test_a_run_is_sent_once_and_ended(folder: AttemptFolder, metric: Path) -> None:
    seen: list[Request] = []

    def remember(request: Request) -> Reply:
        seen.append(request)
        return answer(request)

    with serving(remember) as server:
        target = Target(server.url, "host", password="key")
        forward_store(metric, MlflowServer(target), folder)
        count = len(seen)
        forward_store(metric, MlflowServer(target), folder)
    assert len(seen) == count
    bodies = [json.loads(request.body) for request in seen if request.body]
    metrics = [each for body in bodies for each in body.get("metrics", [])]
    assert [(each["step"], each["value"]) for each in metrics] == [(0, 0.5), (1, "NaN")]
    assert {"run_id": "there", "status": "FINISHED", "end_time": 2} in bodies
    assert {request.headers.get("authorization") for request in seen} == {"Bearer key"}


def test_a_redirect_takes_the_key_nowhere(folder: AttemptFolder, metric: Path) -> None:
    elsewhere: list[Request] = []

    def record(request: Request) -> Reply:
        elsewhere.append(request)
        return Reply()

    with serving(record) as other:

        def redirect(request: Request) -> Reply:
            return Reply(status=302, headers={"Location": f"{other.url}{request.path}"})

        with serving(redirect) as server, pytest.raises(ForwardFailed, match="302"):
            target = Target(server.url, "host", user="me", password="key")
            forward_store(metric, MlflowServer(target), folder)
    assert elsewhere == []


def test_the_address_and_its_key_are_one_secret_that_is_never_shown(tmp_path: Path) -> None:
    assert read_target(tmp_path, MLFLOW) is None
    (tmp_path / MLFLOW).write_text("https://me:p%40ss@mlflow.example:8443/base/\n")
    target = read_target(tmp_path, MLFLOW)
    assert target == Target("https://mlflow.example:8443/base", "mlflow.example", "me", "p@ss")
    assert "p@ss" not in repr(target) + str(target)
    for wrong in (
        "file:///etc/passwd",
        "mlflow.example",
        "ftp://x",
        "very-secret",
        "https://me:pass@host:word",
    ):
        (tmp_path / MLFLOW).write_text(wrong)
        with pytest.raises(ForwardFailed) as failed:
            read_target(tmp_path, MLFLOW)
        assert wrong not in str(failed.value)
