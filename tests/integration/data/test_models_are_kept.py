"""Results of a real run become versions of a model; the service keeps a verified copy that outlives the endpoint's."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from diamond.core.errors import DataChanged, NotFound
from diamond.sdk.client import Client
from support.people import add_person
from support.service import RunningService
from support.tree_scene import DataMachine, TreeScene
from support.waiting import wait_for

MEGABYTE = 1 << 20
PROGRAM = (
    "mkdir -p artifacts/deep && printf weights >artifacts/model.bin && "
    "head -c 20000000 /dev/zero >artifacts/deep/large && ln -s model.bin artifacts/latest"
)


@pytest.fixture(scope="module")
def client(service: RunningService) -> Client:
    return Client(service.url, service.token)


@pytest.fixture(scope="module")
def task(client: Client, alpha: DataMachine) -> str:
    """Ended, with results."""
    spec = {"name": "train", "run": PROGRAM, "on": "alpha"}
    task = client.run(spec, wait=True, with_code=False).task.id
    wait_for(lambda: ready(client, task), what="the result")
    return task


def ready(client: Client, task: str) -> bool:
    return [result["state"] for result in client.results(task)] == ["ready"]


def kept(client: Client, model: str) -> dict[str, Any]:
    safety = wait_for(
        lambda: found if (found := client.model_safety(model))["state"] == "kept" else None,
        what="a kept copy",
    )
    assert safety is not None
    return safety


def test_what_a_run_leaves_is_registered_by_itself(client: Client, task: str) -> None:
    (result,) = client.results(task)
    assert (result["name"], result["files"], result["size"]) == ("artifacts", 2, 20_000_007)
    assert result["places"] == ["alpha"]


def test_a_named_version_is_kept_and_pulled(
    client: Client, task: str, alpha: DataMachine, tmp_path: Path
) -> None:
    version = client.add_model_version("net", task=task)
    kept(client, "net")
    shutil.rmtree(alpha.work / "tasks" / task / "run" / "artifacts")
    folder = client.pull_model("net@v1", tmp_path / "net")
    assert (folder / "model.bin").read_text() == "weights"
    assert (folder / "deep" / "large").stat().st_size == 20_000_000
    assert (folder / "latest").readlink() == Path("model.bin")
    assert not list(folder.rglob("*.part"))
    assert version["digest"] == client.model_version("net")["digest"]


def test_a_pull_continues_and_verifies(
    client: Client, task: str, service: RunningService, tmp_path: Path
) -> None:
    client.add_model_version("cut", task=task)
    kept(client, "cut")
    folder = tmp_path / "net"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / ".large.part").write_bytes(bytes(5_000_000))
    (folder / "model.bin").write_text("others!")
    client.pull_model("cut", folder)
    assert (folder / "model.bin").read_text() == "weights"
    (folder / "model.bin").unlink()
    (folder / ".model.bin.part").write_text("wei")
    client.pull_model("cut", folder)
    assert (folder / "model.bin").read_text() == "weights"
    (folder / "model.bin").unlink()
    (folder / ".model.bin.part").write_text("bad")
    with pytest.raises(DataChanged, match=r"model\.bin"):
        client.pull_model("cut", folder)
    assert not (folder / "model.bin").exists()


def test_only_what_the_manifest_lists_is_served(client: Client, task: str) -> None:
    client.add_model_version("listed", task=task)
    kept(client, "listed")
    for path in ("../../secret", "/etc/passwd", "latest/../model.bin", "deep", "nothing"):
        with pytest.raises(NotFound):
            client.transport.call(
                "GET", "/api/v1/models/listed/versions/v1/content", query={"path": path}
            )


def test_strangers_read_neither_list_nor_files(
    client: Client, task: str, service: RunningService
) -> None:
    client.add_model_version("private", task=task)
    kept(client, "private")
    model = client.model("private")["id"]
    _, stranger = add_person(service, "stranger")
    for part in ("manifest", "content?path=model.bin", "safety"):
        answer = stranger.call("GET", f"/models/{model}/versions/v1/{part}")
        assert answer.status == 404, part


def test_a_copy_continues_after_the_agent_was_killed(
    scene: TreeScene, client: Client, alpha: DataMachine, tmp_path: Path
) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "big").write_bytes(os.urandom(MEGABYTE) * 150)
    tree = scene.registered(alpha, source)
    client.add_model_version("killed", digest=tree)
    alpha.kill()
    alpha.start()
    kept(client, "killed")
    folder = client.pull_model("killed", tmp_path / "pulled")
    assert (folder / "big").read_bytes() == (source / "big").read_bytes()
