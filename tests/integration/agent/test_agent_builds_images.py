"""A build is a task: through the agent of an ordinary account, as a batch job on real Slurm."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from diamond.testing.lab import Lab
from diamond.testing.runtimes import Account
from support.agents import AgentProcess
from support.containers import alice, alices_folder, busybox, skip_without
from support.image_scene import image_of as as_ordered
from support.sync_service import KEY, SyncService, eventually

RESOURCES = {"walltime_minutes": 5}


@dataclass
class AlicesAgent(AgentProcess):
    """The agent as the one file that it is on a cluster, started as alice."""

    account: Account | None = None

    def start(self, **variables: str) -> subprocess.Popen[bytes]:
        assert self.account is not None
        key = self.folder / "key"
        key.write_text(KEY)
        key.chmod(0o644)
        own = {"DIAMOND_KEEP": self.keep, "DIAMOND_WORK": self.work, "DIAMOND_TMP": "/tmp"}
        given = [f"{name}={value}" for name, value in {**own, **self.variables}.items()]
        words = ["run", "--url", self.service.url, "--key-file", str(key), "--scheduler", "slurm"]
        log = (self.folder / "agent.out").open("ab")
        self.process = subprocess.Popen(
            [*self.account.prefix, *given, *self.account.builder[:2], *words],
            stdout=log,
            stderr=log,
            start_new_session=True,
            cwd="/",
        )
        return self.process


@pytest.fixture
def folder() -> Iterator[Path]:
    skip_without("apptainer")
    with alices_folder() as folder:
        yield folder


@pytest.fixture
def agent(folder: Path, service: SyncService, slurm_lab: Lab) -> Iterator[AlicesAgent]:
    variables = slurm_lab.cluster("alpha").env()
    own = {name: variables[name] for name in variables if name.startswith("SLURM")}
    agent = AlicesAgent(folder, service, variables=own, account=alice(folder))
    agent.start()
    yield agent
    agent.stop()


def environment(folder: Path, *commands: str) -> dict[str, Any]:
    base = folder / "busybox.tar"
    where = base if base.exists() else busybox(folder)
    return {"base": f"rootfs:{where}", "variables": {"SEASON": "winter"}, "commands": [*commands]}


def build(service: SyncService, wanted: dict[str, Any]) -> str:
    order = {"build": {"environment": wanted}, "resources": RESOURCES}
    return service.submit(order).id


def events(service: SyncService, task: str) -> list[dict[str, Any]]:
    lines = service.text(task, "steps").splitlines()
    return [json.loads(line) for line in lines]


def names(service: SyncService, task: str, event: str) -> list[str]:
    return [str(one["step"]) for one in events(service, task) if one["event"] == event]


def image_of(service: SyncService, task: str) -> dict[str, Any]:
    """Told by the time that the build is known to have succeeded."""
    service.until(task, "succeeded")
    told = [one for one in events(service, task) if one["event"] == "image"]
    record: dict[str, Any] = told[0]["record"]
    return record


def test_an_image_is_built_in_a_batch_job_and_a_task_runs_inside(
    agent: AlicesAgent, service: SyncService, folder: Path
) -> None:
    task = build(service, environment(folder, "echo made here >/opt/made"))
    record = image_of(service, task)
    assert names(service, task, "ended") == ["base", "variables", "command-1", "pack"]
    assert record["built"]["user"] == "alice"
    data = folder / "data"
    data.mkdir()
    (data / "numbers").write_text("1 2 3\n")
    lines = [
        "cat /opt/made $DIAMOND_DATA/era/numbers $DIAMOND_DATA_ERA/numbers",
        'echo "$SEASON $DIAMOND_ATTEMPT_NUMBER $(pwd | grep -c /run)"',
        'ls "$PYTHONPATH/diamond/training/__init__.py" >/dev/null && echo training is there',
        "ls /home/alice 2>/dev/null || echo no home",
        "echo kept >result",
    ]
    run = service.submit(
        {
            "command": "\n".join(lines),
            "image": as_ordered(record),
            "data": {"era": str(data)},
            "resources": RESOURCES,
        }
    )
    service.until(run.id, "succeeded")
    eventually(lambda: service.text(run.id).endswith("no home\n"))
    assert service.text(run.id).splitlines() == [
        "made here",
        "1 2 3",
        "1 2 3",
        "winter 1 1",
        "training is there",
        "no home",
    ]
    assert (agent.work / "tasks" / run.id / "run" / "result").read_text() == "kept\n"
    Path(record["file"]).chmod(0o600)
    with Path(record["file"]).open("ab") as image:
        image.write(b"tampered")
    wanted = {"sha256": record["sha256"]}
    refused = service.submit({"command": "true", "image": wanted, "resources": RESOURCES})
    ended = service.until(refused.id, "failed")
    assert ended.reason.value == "environment"
    assert "not what its digest says" in ended.message


@pytest.mark.slow
def test_every_rank_of_two_nodes_enters_the_image_by_itself(
    agent: AlicesAgent, service: SyncService, folder: Path
) -> None:
    record = image_of(service, build(service, environment(folder, "echo made >/opt/made")))
    run = service.submit(
        {
            "command": 'echo "$RANK of $WORLD_SIZE: $(cat /opt/made) in $SEASON"',
            "image": as_ordered(record),
            "resources": {**RESOURCES, "nodes": 2, "tasks_per_node": 2},
            "launch": {"kind": "per-rank"},
        }
    )
    service.until(run.id, "succeeded")
    eventually(lambda: service.text(run.id).count("\n") == 4)
    assert sorted(service.text(run.id).splitlines()) == [
        "0 of 4: made in winter",
        *(f"[{r}] {r} of 4: made in winter" for r in (1, 2, 3)),
    ]


def test_a_failed_build_says_why_and_is_resumed(
    agent: AlicesAgent, service: SyncService, folder: Path
) -> None:
    broken = build(service, environment(folder, "echo first >/opt/a", "gcc -c model.c"))
    ended = service.until(broken, "failed")
    assert (ended.exit_code, ended.reason.value) == (1, "exit-code")
    assert ended.message.startswith("step command-2 failed: A package must be compiled")
    told = [one for one in events(service, broken) if one["event"] == "failed"]
    assert (told[0]["step"], told[0]["cause"]) == ("command-2", "compiler-missing")
    mended = build(service, environment(folder, "echo first >/opt/a", "echo second >>/opt/a"))
    image_of(service, mended)
    assert names(service, mended, "started") == ["command-2", "pack"]


def test_a_cancel_in_the_middle_of_a_step_leaves_no_garbage(
    agent: AlicesAgent, service: SyncService, folder: Path
) -> None:
    task = build(service, environment(folder, "echo first >/opt/a", "echo asleep; sleep 3600"))
    eventually(lambda: "\nasleep" in service.text(task))
    service.cancel(task)
    service.until(task, "cancelled")
    building = agent.work / "images" / "building"
    eventually(lambda: not list(building.iterdir()))
    assert not list((agent.work / "images" / "store").iterdir())
    layers = list((agent.work / "images" / "layers" / "apptainer").glob("*/layer.json"))
    assert len(layers) == 2


def test_a_base_that_is_not_there_is_said(
    agent: AlicesAgent, service: SyncService, folder: Path
) -> None:
    task = build(service, {"base": f"rootfs:{folder}/nowhere.tar"})
    ended = service.until(task, "failed")
    assert "nowhere.tar is not on this machine" in ended.message
    assert "is not on this machine" in eventually(lambda: service.text(task))
