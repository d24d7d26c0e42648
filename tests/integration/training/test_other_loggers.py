"""Scripts that log with W&B or MLflow, as released, show live curves without a line of ours."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import urllib.request
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from diamond.sdk import Client
from support.diamond import Diamond, diamond_up
from support.service import free_port
from support.small_server import Reply, Request, serving
from support.waiting import wait_for

PACKAGES = ["wandb==0.31.0", "mlflow==3.17.2", "pillow", "numpy"]
WANDB = """
import time, numpy, wandb
from pathlib import Path
run = wandb.init(project="p", config={"lr": 0.1})
for step in range(30):
    run.log({"loss": 1 / (step + 1), "val": {"acc": step / 30}})
picture = wandb.Image(numpy.zeros((8, 8, 3), dtype=numpy.uint8))
run.log({"picture": picture, "table": wandb.Table(columns=["a"], data=[[1]])})
while not Path("go").exists():
    time.sleep(0.1)
run.log({"loss": 0.0})
run.finish()
"""
MLFLOW = """
import time, mlflow, numpy
from pathlib import Path
mlflow.set_experiment("e")
with mlflow.start_run():
    mlflow.log_param("lr", 0.1)
    for step in range(30):
        mlflow.log_metric("loss", 1 / (step + 1), step=step)
        mlflow.log_metric("val/acc", step / 30, step=step)
    mlflow.log_image(numpy.zeros((8, 8, 3), dtype=numpy.uint8), key="sample", step=7)
    while not Path("go").exists():
        time.sleep(0.1)
    mlflow.log_metric("loss", 0.0, step=30)
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("loggers")
    venv.create(place, with_pip=True)
    words = [str(place / "bin" / "pip"), "install", "--quiet", "--no-compile", *PACKAGES]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"wandb and mlflow cannot be installed here: {done.stderr[-300:]}")
    return place / "bin" / "python"


@pytest.fixture(scope="module")
def diamond(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Diamond]:
    top = tmp_path_factory.mktemp("diamond")
    made = Diamond(top / "home", top)
    with diamond_up(made):
        yield made


def curve(diamond: Diamond, task: str, name: str) -> list[Any]:
    client = Client(*_address(diamond))
    return next((each["points"] for each in client.metrics(task) if each["name"] == name), [])


def _address(diamond: Diamond) -> tuple[str, str]:
    saved = json.loads((diamond.home / "token.json").read_text())
    return saved["url"], saved["token"]


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("script", "variables", "accuracy", "logged"),
    [
        (
            WANDB,
            {"WANDB_MODE": "offline"},
            "val.acc",
            {("image", "picture", 30), ("table", "table", 30)},
        ),
        (MLFLOW, {}, "val/acc", {("image", "sample", 7)}),
        (
            MLFLOW,
            {"MLFLOW_ALLOW_FILE_STORE": "true", "MLFLOW_TRACKING_URI": "./mlruns"},
            "val/acc",
            {("image", "sample", 7)},
        ),
    ],
    ids=["wandb", "mlflow-database", "mlflow-files"],
)
def test_curves_appear_while_the_script_runs_and_are_whole_at_its_end(
    diamond: Diamond,
    python: Path,
    tmp_path: Path,
    script: str,
    variables: dict[str, str],
    accuracy: str,
    logged: set[tuple[str, str, int]],
) -> None:
    (tmp_path / "train.py").write_text(script)
    lines = "".join(f'\n    {name}: "{value}"' for name, value in variables.items())
    own = f"environment:\n  variables:{lines}\n" if lines else ""
    (tmp_path / "diamond.yaml").write_text(
        f"name: logs\nrun: {python} train.py\ncode: .\non: local\n{own}"
    )
    task = str(diamond.ask("run", str(tmp_path))["tasks"][0]["id"])
    wait_for(lambda: len(curve(diamond, task, "loss")) == 30, 120, what="a live curve")
    wait_for(lambda: len(curve(diamond, task, accuracy)) == 30, 60, what="the other curve")
    assert diamond.state(task) == "running"
    run_dir = Path(diamond.ask("show", task)["run_dir"]) / "run"
    (run_dir / "go").touch()
    diamond.wait_for_state(task, "succeeded", seconds=120)
    points = curve(diamond, task, "loss")
    assert len(points) == 31 and points[-1][-1] == 0.0
    names = diamond.call("show", task).stdout
    assert "picture" not in names and "table" not in names
    media = Client(*_address(diamond)).media(task)
    assert {(one["kind"], one["name"], one["step"]) for one in media} == logged
    assert all(one["size"] > 0 for one in media)


@pytest.fixture(scope="module")
def mlflow_server(python: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """MLflow's own server, with its own database."""
    folder, port = tmp_path_factory.mktemp("server"), free_port()
    words = [str(python.parent / "mlflow"), "server", "--host", "127.0.0.1", "--port", str(port)]
    words += ["--backend-store-uri", f"sqlite:///{folder}/server.db", "--workers", "1"]
    path = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            words,
            cwd=folder,
            stdout=log,
            stderr=log,
            env={**os.environ, "PATH": path},
            start_new_session=True,
        )
    try:
        address = f"http://127.0.0.1:{port}"
        wait_for(lambda: _answers(f"{address}/health"), 180, what="MLflow's server")
        yield address
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait(30)


def ran(diamond: Diamond, folder: Path) -> str:
    task = str(diamond.ask("run", str(folder))["tasks"][0]["id"])
    diamond.wait_for_state(task, "succeeded", seconds=180)
    return task


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def _ask(server: str, path: str, body: dict[str, Any]) -> Any:
    request = urllib.request.Request(
        f"{server}/api/2.0/mlflow/{path}",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.loads(answer.read())


def _runs(server: str, task: str) -> list[dict[str, Any]]:
    wanted = {"filter": f"tags.`diamond.task` = '{task}'", "experiment_ids": _experiments(server)}
    return list(_ask(server, "runs/search", wanted).get("runs") or [])


def _experiments(server: str) -> list[str]:
    found = _ask(server, "experiments/search", {"max_results": 100})["experiments"]
    return [each["experiment_id"] for each in found]


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("store", ["database", "files"])
def test_runs_of_mlflow_are_forwarded_whole_to_the_persons_server(
    diamond: Diamond, python: Path, mlflow_server: str, tmp_path: Path, store: str
) -> None:
    assert (
        diamond.call(
            "secret", "set", "FORWARD_MLFLOW", "--on", "local", stdin=mlflow_server
        ).returncode
        == 0
    )
    files = {"MLFLOW_ALLOW_FILE_STORE": "true", "MLFLOW_TRACKING_URI": "./mlruns"}
    lines = "".join(f'\n    {name}: "{value}"' for name, value in files.items())
    own = f"environment:\n  variables:{lines}\n" if store == "files" else ""
    (tmp_path / "go").touch()
    (tmp_path / "train.py").write_text(MLFLOW)
    (tmp_path / "diamond.yaml").write_text(
        f"name: forwarded\nrun: {python} train.py\ncode: .\non: local\n{own}"
    )
    task = ran(diamond, tmp_path)
    wait_for(
        lambda: [run["info"]["status"] for run in _runs(mlflow_server, task)] == ["FINISHED"],
        120,
        what="the run on the server",
    )
    (run,) = _runs(mlflow_server, task)
    assert run["data"]["params"] == [{"key": "lr", "value": "0.1"}]
    history = f"{mlflow_server}/api/2.0/mlflow/metrics/get-history?metric_key=loss&run_id={run['info']['run_id']}"
    with urllib.request.urlopen(history, timeout=20) as answer:
        points = json.loads(answer.read())["metrics"]
    assert sorted(point["step"] for point in points) == list(range(31))
    assert diamond.call("secret", "remove", "FORWARD_MLFLOW", "--on", "local").returncode == 0


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_server_that_cannot_be_reached_is_named_in_the_history_without_its_key(
    diamond: Diamond, python: Path, tmp_path: Path
) -> None:
    address = f"http://me:very-secret@127.0.0.1:{free_port()}"
    assert (
        diamond.call("secret", "set", "FORWARD_MLFLOW", "--on", "local", stdin=address).returncode
        == 0
    )
    (tmp_path / "go").touch()
    (tmp_path / "train.py").write_text(MLFLOW)
    (tmp_path / "diamond.yaml").write_text(
        f"name: lost\nrun: {python} train.py\ncode: .\non: local\n"
    )
    task = ran(diamond, tmp_path)
    wait_for(
        lambda: "could not be forwarded" in diamond.call("show", task).stdout, 60, what="a note"
    )
    assert "127.0.0.1 did not answer" in diamond.call("show", task).stdout
    assert "very-secret" not in json.dumps(diamond.ask("show", task))
    log = diamond.home / "agents" / "local" / "agent.log"
    assert "very-secret" not in log.read_text()
    assert diamond.call("secret", "remove", "FORWARD_MLFLOW", "--on", "local").returncode == 0


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_offline_runs_of_wandb_are_handed_to_its_own_program_with_the_key(
    diamond: Diamond, python: Path, tmp_path: Path
) -> None:
    """A real W&B server is not to be had here: a stand-in rejects the key, so the program's own words reach the person."""
    seen: list[Request] = []

    def answer(request: Request) -> Reply:
        seen.append(request)
        return Reply(status=401, body=b'{"errors": [{"message": "not your key"}]}')

    with serving(answer) as server:
        address = f"http://:{'0123456789' * 4}@127.0.0.1:{server.server_address[1]}"
        assert (
            diamond.call(
                "secret", "set", "FORWARD_WANDB", "--on", "local", stdin=address
            ).returncode
            == 0
        )
        (tmp_path / "go").touch()
        (tmp_path / "train.py").write_text(WANDB)
        (tmp_path / "diamond.yaml").write_text(
            f"name: synced\nrun: {python} train.py\ncode: .\non: local\n"
            'environment:\n  variables:\n    WANDB_MODE: "offline"\n'
        )
        task = ran(diamond, tmp_path)
        wait_for(lambda: "wandb sync" in diamond.call("show", task).stdout, 240, what="a note")
    assert any("graphql" in request.path for request in seen)
    assert "not your key" in diamond.call("show", task).stdout
    assert diamond.call("secret", "remove", "FORWARD_WANDB", "--on", "local").returncode == 0
