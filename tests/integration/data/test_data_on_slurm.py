"""Data above the site's threshold is read by a batch job of real Slurm, with progress; below it, on the login node."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from diamond.testing.lab import Lab
from support.service import RunningService
from support.slurm import open_folder
from support.tree_scene import DataMachine, data_machine
from support.waiting import wait_for

MEGABYTE = 1 << 20


@pytest.fixture(scope="module")
def cluster(
    service: RunningService, slurm_lab: Lab
) -> Iterator[tuple[DataMachine, dict[str, str], Path]]:
    variables = slurm_lab.cluster("alpha").env()
    with open_folder() as folder, data_machine(service, "slurm", folder / "agent") as machine:
        machine.stop()
        machine.scheduler, machine.variables = "slurm", variables
        machine.start()
        yield machine, variables, folder


def jobs(variables: dict[str, str]) -> str:
    words = ["sacct", "-n", "-P", "-X", "-o", "JobName,State"]
    done = subprocess.run(words, env={**os.environ, **variables}, capture_output=True, text=True)
    return done.stdout


@pytest.mark.slow
def test_much_data_is_hashed_and_previewed_by_batch_jobs(
    service: RunningService, cluster: tuple[DataMachine, dict[str, str], Path]
) -> None:
    _, variables, folder = cluster
    client = service.client
    wait_for(lambda: client.get("/endpoints/slurm")["profile"]["values"].get("partitions"))
    limits = {"scan_on_login": {"bytes": 50 * MEGABYTE, "files": 1000}}
    assert client.call("PATCH", "/endpoints/slurm", {"corrections": limits}).status == 200
    data = folder / "data"
    data.mkdir()
    (data / "few.csv").write_text("x,y\n1,2\n")
    small = ended(service, add(service, "few", data))
    assert small["state"] == "done", small
    assert ended(service, "/datasets/few/preview")["state"] == "done"
    assert "diamond-" not in jobs(variables), "little data is read on the login node"

    for number in range(6):
        (data / f"{number}.bin").write_bytes(os.urandom(MEGABYTE) * 200)
    path = add(service, "much", data)
    far = wait_for(lambda: (now := client.get(path))["bytes"] and now, what="progress")
    assert far["size"] > 1200 * MEGABYTE
    done = ended(service, path)
    assert done["state"] == "done" and done["files"] == 7, done
    preview = ended(service, "/datasets/much/preview")
    assert preview["preview"]["parts"][0]["rows"] == 1, preview
    wait_for(lambda: jobs(variables).count("COMPLETED") >= 2, what="two jobs that ended")
    assert "diamond-scan-" in jobs(variables) and "diamond-preview-" in jobs(variables)


def add(service: RunningService, name: str, path: Path) -> str:
    body = {"name": name, "endpoint": "slurm", "path": str(path)}
    return f"/datasets/additions/{service.client.post('/datasets', body)['id']}"


def ended(service: RunningService, path: str) -> Any:
    def look() -> Any:
        found = service.client.get(path)
        return found if found["state"] not in ("waiting", "running") else None

    return wait_for(look, what=path)
