"""Data of one cluster, trained on another, reproduced on the first: the verdict, and each planted difference by name."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from diamond.sdk import Client
from diamond.sdk.crate_runs import reproduce_crate
from diamond.testing.lab import Lab
from support.containers import alices_folder, busybox, skip_without
from support.image_machines import Machine, machine
from support.service import RunningService
from support.slurm import open_folder, skip_without_lab_support
from support.waiting import wait_for
from support.wheels import write_wheel

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
PACKAGE = "diamond_test_pace"
PROGRAM = f"""\
import os, pathlib, random
from importlib.metadata import version
from diamond import training

training.seed(int(os.environ["SEED"]))
pace = float(version("{PACKAGE}"))
numbers = pathlib.Path(os.environ["DIAMOND_DATA"], "numbers", "a.csv").read_text().split()
loss = sum(map(float, numbers)) * random.Random(int(os.environ["SEED"])).random()
for step in range(3):
    loss /= 1 + pace
    training.log(step=step, loss=loss)
pathlib.Path("artifacts").mkdir(exist_ok=True)
pathlib.Path("artifacts/model.txt").write_text(repr(loss))
"""
COMMAND = "SEED={seed} python train.py"
IN_IMAGE = "mkdir -p artifacts; cat /opt/made $DIAMOND_DATA/numbers/a.csv >artifacts/model.txt"
CLUSTERS = {"one": "alpha", "two": "beta"}
SMALL = {"walltime": "5m", "memory": "200MB"}


@dataclass(frozen=True)
class Scene:
    client: Client
    alpha: Machine
    beta: Machine
    folder: Path
    data: Path
    job: Path

    def spec(self, on: str, **more: Any) -> dict[str, Any]:
        return {
            "name": "pace",
            "code": str(self.job),
            "run": COMMAND,
            "params": {"seed": 7},
            "environment": {"requirements": [PACKAGE]},
            "data": {"numbers": "numbers@v1"},
            "resources": SMALL,
            "account": "research",
            "on": on,
            **more,
        }

    def ran(self, on: str, **more: Any) -> str:
        job = self.client.run(self.spec(on, **more), wait=True)
        task = job.task
        assert task.state == "succeeded", (task.message, self.alpha.log(), self.beta.log())
        return str(task.id)

    def reproduced(self, task: str, on: str) -> Any:
        again = self.client.reproduce(task, on=on)
        assert again["endpoint"] == on
        self.client.wait(again["task"], timeout=300)
        verdict = self.client.verdict(again["task"], timeout=60)
        return {**verdict, "task": again["task"]}

    def causes(self, task: str, against: str) -> list[str]:
        return [cause["kind"] for cause in self.client.why(task, against)["causes"]]


@pytest.fixture(scope="module")
def scene(service: RunningService) -> Iterator[Scene]:
    skip_without("apptainer")
    skip_without_lab_support()
    with ExitStack() as stack:
        folder = stack.enter_context(alices_folder())
        disks = {name: stack.enter_context(own_disk(folder / name)) for name in CLUSTERS}
        lab = Lab.up(stack.enter_context(open_folder()), nodes=1)
        busybox(folder)
        wheels = folder / "wheels"
        wheels.mkdir()
        for version in ("1.0", "2.0"):
            write_wheel(wheels, PACKAGE, version)
        pip = {"PIP_NO_INDEX": "true", "PIP_FIND_LINKS": str(wheels)}
        machines = [
            stack.enter_context(
                machine(
                    service,
                    name,
                    user,
                    disks[name],
                    scheduler="slurm",
                    variables={**pip, **slurm_of(lab, name)},
                )
            )
            for name, user in (("one", "alice"), ("two", "bob"))
        ]
        data = machines[0].folder / "numbers"
        data.mkdir()
        (data / "a.csv").write_text("1.0 2.0 3.0\n")
        subprocess.run(["chown", "-R", "alice", str(data)], check=True)
        data.chmod(0o700)
        job = folder / "job"
        job.mkdir()
        (job / "train.py").write_text(PROGRAM)
        with Client(service.url, service.token) as client:
            added(client, data)
            yield Scene(client, machines[0], machines[1], folder, data, job)


def slurm_of(lab: Lab, name: str) -> dict[str, str]:
    variables = lab.cluster(CLUSTERS[name]).env()
    return {key: value for key, value in variables.items() if key.startswith("SLURM")}


@contextmanager
def own_disk(folder: Path) -> Iterator[Path]:
    """A file system of its own, mounted before the nodes are started: they see no later one."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=500m,mode=777", "tmpfs", str(folder)]
    if subprocess.run(mount, check=False).returncode:
        pytest.skip("tmpfs cannot be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)


def added(client: Client, data: Path) -> None:
    addition = client.add_data("numbers", path=str(data), on="one")
    ended = client.wait_for_addition(addition["id"])
    assert ended["state"] == "done", ended


def test_trained_on_one_cluster_it_is_identical_on_another(scene: Scene) -> None:
    task = scene.ran("two", environment={"requirements": [f"{PACKAGE}==1.0"]})
    verdict = scene.reproduced(task, "one")
    assert verdict["level"] == "identical" and verdict["causes"] == [], verdict
    assert verdict["files"] == [{"path": "model.txt", "finding": "identical"}]
    assert scene.alpha.folder.stat().st_dev != scene.beta.folder.stat().st_dev


def test_packages_that_nobody_pinned_stay_what_they_were(scene: Scene) -> None:
    """The newest was 1.0 then; a newer one is there now."""
    newer = next((scene.folder / "wheels").glob(f"{PACKAGE}-2*"))
    hidden = newer.rename(scene.folder / newer.name)
    task = scene.ran("two", environment={"requirements": [PACKAGE]})
    hidden.rename(newer)
    assert scene.reproduced(task, "one")["level"] == "identical"


def test_each_planted_difference_is_named(scene: Scene) -> None:
    first = scene.ran("two", environment={"requirements": [f"{PACKAGE}==1.0"]})
    seed = scene.ran("one", environment={"requirements": [f"{PACKAGE}==1.0"]}, params={"seed": 8})
    assert scene.causes(seed, first)[0] == "seed"
    library = scene.ran("one", environment={"requirements": [f"{PACKAGE}==2.0"]})
    assert scene.causes(library, first)[0] == "library"
    named = scene.client.why(library, first)["causes"][0]["text"]
    assert PACKAGE in named and "1.0 and 2.0" in named
    other = scene.data.with_name("other-numbers")
    other.mkdir()
    other.chmod(0o755)
    (other / "a.csv").write_text("1.0 2.0 3.1\n")
    added(scene.client, other)
    byte = scene.ran(
        "one",
        environment={"requirements": [f"{PACKAGE}==1.0"]},
        data={"numbers": "numbers@v2"},
    )
    assert scene.causes(byte, first)[0] == "data"
    assert "numbers" in scene.client.why(byte, first)["causes"][0]["text"]


def test_its_image_moves_along_and_is_built_again_where_no_file_is_left(scene: Scene) -> None:
    environment = {
        "base": f"rootfs:{scene.folder / 'busybox.tar'}",
        "commands": ["echo built once >/opt/made"],
        "runtime": "apptainer",
    }
    task = scene.ran("two", run=IN_IMAGE, params={}, environment=environment)
    moved = scene.reproduced(task, "one")
    assert moved["level"] == "identical", moved
    assert "transfer" in waited_for(scene, moved["task"])

    used = scene.client.record(task)["image"]["identity"]
    scene.client.delete_image(used)
    files = [each.work / "images" / "store" for each in (scene.alpha, scene.beta)]
    wait_for(lambda: not [one for each in files for one in each.glob("*.s*")], what="no files")
    rebuilt = scene.reproduced(task, "one")
    assert rebuilt["level"] == "identical", rebuilt
    assert "build" in waited_for(scene, rebuilt["task"])


def test_a_crate_brings_its_image_and_its_data(scene: Scene, tmp_path: Path) -> None:
    environment = {
        "base": f"rootfs:{scene.folder / 'busybox.tar'}",
        "commands": ["echo built for a crate >/opt/made"],
        "variables": {"GREETING": "hello"},
        "runtime": "apptainer",
    }
    run = f"{IN_IMAGE}; test $GREETING = hello"
    task = scene.ran("two", run=run, params={}, environment=environment)
    wait_for(lambda: ready(scene, task), what="its result to be hashed")
    parts = ["code", "lock", "image", "data"]
    crate = scene.client.export_records([task], tmp_path, parts=parts)
    done = reproduce_crate(scene.client, crate, on="one", account="research")
    assert done["verdict"]["level"] == "identical", done
    plain = scene.folder / "plain"
    subprocess.run(["unzip", "-q", str(crate), "-d", str(plain)], check=True)
    subprocess.run(["chown", "-R", "alice", str(plain)], check=True)
    subprocess.run(["runuser", "-u", "alice", "--", "bash", "run.sh"], cwd=plain, check=True)
    made = (plain / "run" / "artifacts" / "model.txt").read_text()
    assert made == "built for a crate\n1.0 2.0 3.0\n"


def ready(scene: Scene, task: str) -> bool:
    return [result["state"] for result in scene.client.results(task)] == ["ready"]


def waited_for(scene: Scene, task: str) -> set[str]:
    """Kinds of what it depended on."""
    shown = scene.alpha.client.get(f"/tasks/{task}")
    return {one["kind"] for one in shown["dependencies"]}
