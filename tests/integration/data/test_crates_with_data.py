"""A crate with the data that a run read: exported from one Diamond, reproduced on another that never saw it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from diamond.core.errors import BadRequest, Conflict
from diamond.sdk.client import Client
from diamond.sdk.crate_runs import reproduce_crate
from support.crates import PROFILES, faults, seed_cache
from support.people import add_person
from support.service import RunningService, running_service
from support.tree_scene import DataMachine, data_machine

PROGRAM = """\
import os, pathlib
from diamond import training
folder = pathlib.Path(os.environ["DIAMOND_DATA"], "numbers")
numbers = [float(one) for one in (folder / "a b.csv").read_text().split()]
assert (folder / "newest").read_text() == (folder / "a b.csv").read_text()
assert (folder / "empty").is_dir() and os.access(folder / "tool", os.X_OK)
training.log(step=1, loss=sum(numbers))
"""


@dataclass(frozen=True)
class Ran:
    client: Client
    task: str
    folder: Path


@pytest.fixture(scope="module")
def ran(
    service: RunningService, alpha: DataMachine, tmp_path_factory: pytest.TempPathFactory
) -> Ran:
    """A task that read a dataset with everything in it."""
    folder = tmp_path_factory.mktemp("crate")
    data = folder / "numbers"
    (data / "empty").mkdir(parents=True)
    (data / "a b.csv").write_text("1.0 2.0 3.0\n")
    (data / "newest").symlink_to("a b.csv")
    (data / "tool").write_text("#!/bin/sh\n")
    (data / "tool").chmod(0o755)
    with (data / "sparse").open("wb") as out:
        out.truncate(40 << 20)
        out.seek(20 << 20)
        out.write(os.urandom(1000))
    (folder / "train.py").write_text(PROGRAM)
    client = Client(service.url, service.token)
    client.wait_for_addition(client.add_data("numbers", path=str(data), on="alpha")["id"])
    spec = {"name": "sums", "run": "python3 train.py", "data": {"numbers": "numbers@v1"}}
    job = client.run({**spec, "code": ".", "on": "alpha"}, folder=folder, wait=True)
    assert job.task.state == "succeeded", job.task.message
    return Ran(client, job.task.id, folder)


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Client]:
    """A Diamond that has seen none of it."""
    with (
        running_service(tmp_path / "home") as other,
        data_machine(other, "gamma", tmp_path / "gamma"),
    ):
        yield Client(other.url, other.token)


def test_a_crate_with_its_data_is_reproduced_where_nobody_has_seen_them(
    ran: Ran, elsewhere: Client, tmp_path: Path
) -> None:
    crate = ran.client.export_records([ran.task], tmp_path, parts=["code", "lock", "data"])
    assert reproduce_crate(elsewhere, crate)["verdict"]["level"] == "identical"
    # The same without Diamond.
    folder = tmp_path / "plain"
    subprocess.run(["unzip", "-q", str(crate), "-d", str(folder)], check=True)
    subprocess.run(["bash", "run.sh"], cwd=folder, env={"PATH": "/usr/bin:/bin"}, check=True)
    assert json.loads((folder / "run" / "metrics.jsonl").read_text())["loss"] == 6.0
    (folder / "data/numbers/sparse").unlink()  # 40 MB of zeros tell a validator nothing
    shutil.rmtree(folder / "run")
    assert faults(folder, PROFILES[-1], seed_cache(tmp_path)) == []


def test_a_changed_byte_of_the_data_in_a_crate_is_noticed(
    ran: Ran, elsewhere: Client, tmp_path: Path
) -> None:
    crate = ran.client.export_records([ran.task], tmp_path, parts=["code", "data"])
    changed = tmp_path / "changed.zip"
    with zipfile.ZipFile(crate) as source, zipfile.ZipFile(changed, "w") as target:
        for info in source.infolist():
            content = source.read(info)
            target.writestr(
                info, content.replace(b"3.0", b"3.1") if "csv" in info.filename else content
            )
    with pytest.raises(BadRequest, match="not what the record names"):
        reproduce_crate(elsewhere, changed)


def test_limited_data_leave_with_no_crate(ran: Ran, tmp_path: Path) -> None:
    ran.client.change_dataset("numbers", endpoints=["alpha"])
    try:
        with pytest.raises(Conflict, match="the dataset numbers limits where they may be"):
            ran.client.export_records([ran.task], tmp_path, parts=["data"])
    finally:
        ran.client.change_dataset("numbers", anywhere=True)


def test_a_link_for_reviewers_carries_no_data(ran: Ran) -> None:
    with pytest.raises(BadRequest, match="no data"):
        ran.client.make_record_link([ran.task], parts=["code", "data"])


def test_who_may_see_a_task_may_not_take_its_data(
    service: RunningService, ran: Ran, tmp_path: Path
) -> None:
    ben, ben_http = add_person(service, "ben")
    job = ran.client.task(ran.task).raw["job"]
    service.client.post(f"/jobs/{job}/shares", {"with_kind": "person", "with_id": ben})
    theirs = Client(service.url, ben_http.headers["Authorization"].removeprefix("Bearer "))
    assert theirs.export_records([ran.task], tmp_path, parts=["lock"]).stat().st_size
    with pytest.raises(Conflict, match="not yours to export"):
        theirs.export_records([ran.task], tmp_path, parts=["data"])
