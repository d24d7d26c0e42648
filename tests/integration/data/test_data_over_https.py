"""Two Slurm clusters under two Unix accounts, neither of which can read the other's files, and a service behind TLS."""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from diamond.testing.lab import Lab
from support.image_machines import Machine, machine
from support.service import RunningService, free_port, start_service
from support.tls_proxy import HOST, tls_proxy
from support.waiting import wait_for

MEGABYTE = 1 << 20
SMALL = {"resources": {"walltime": "5m", "memory": "100MB"}, "account": "research"}


@dataclass
class Clusters:
    service: RunningService
    source: Machine
    goal: Machine
    folder: Path

    def kill_service(self) -> None:
        """Like a crash; the same address answers again."""
        before = self.service
        before.kill()
        self.service = behind_tls(before.home, before.port, self.source.address)
        self.source.service = self.goal.service = self.service

    def fill(self, name: str, megabytes: int) -> dict[str, str]:
        folder = self.source.folder / name
        folder.mkdir()
        digests = {}
        for number in range(megabytes // 4):
            content = os.urandom(4 * MEGABYTE)
            (folder / f"{number:03}").write_bytes(content)
            digests[f"{number:03}"] = hashlib.sha256(content).hexdigest()
        subprocess.run(["chown", "-R", "alice", str(folder)], check=True)
        folder.chmod(0o700)
        return digests

    def add(self, name: str) -> Any:
        body = {"name": name, "endpoint": "source", "path": str(self.source.folder / name)}
        addition = self.source.client.post("/datasets", body)["id"]
        address = f"/datasets/additions/{addition}"
        return wait_for(lambda: self._ended(address), what=f"{name} to be registered")

    def _ended(self, address: str) -> Any:
        found = self.source.client.get(address)
        return found if found["state"] in ("done", "failed") else None

    def train(self, name: str) -> Any:
        spec = {"name": name, "run": "cd $DIAMOND_DATA/x; sha256sum *", "on": "goal"}
        body = {"spec": {**spec, **SMALL, "data": {"x": f"{name}@v1"}}}
        return self.goal.client.post("/jobs", body)["tasks"][0]

    def transfer(self, task: str) -> Any:
        waits = self.goal.client.get(f"/tasks/{task}")["dependencies"]
        return waits[0]

    def cap(self, megabytes: int | None) -> None:
        settings = {"ways": ["service"], "mb_per_second": megabytes}
        for one in (self.source, self.goal):
            one.correct(data={name: value for name, value in settings.items() if value})


def behind_tls(home: Path, port: int, address: str) -> RunningService:
    """Agents use the address; this test calls the service directly."""
    started = start_service(home, port=port, public_url=address)
    return replace(started, url=f"http://127.0.0.1:{port}")


@pytest.fixture(scope="module")
def clusters(slurm_lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clusters]:
    def cluster(name: str) -> dict[str, str]:
        variables = slurm_lab.cluster(name).env()
        return {key: value for key, value in variables.items() if key.startswith("SLURM")}

    top = tmp_path_factory.mktemp("tls")
    folder = slurm_lab.root / "data-machines"
    folder.mkdir()
    folder.chmod(0o755)
    port, behind = free_port(), free_port()
    service = behind_tls(top / "home", behind, f"https://{HOST}:{port}")
    running = [service]
    with contextlib.ExitStack() as at_end, tls_proxy(top, port, behind) as proxy:
        at_end.callback(lambda: running[-1].stop())
        certificate = folder / "proxy.crt"
        certificate.write_bytes(proxy.certificate.read_bytes())
        certificate.chmod(0o644)
        trust = {"SSL_CERT_FILE": str(certificate)}
        more = {"scheduler": "slurm", "address": proxy.url}
        alpha, beta = ({**cluster(name), **trust} for name in ("alpha", "beta"))
        of_alice = machine(service, "source", "alice", folder, variables=alpha, **more)
        of_bob = machine(service, "goal", "bob", folder, variables=beta, **more)
        with of_alice as source, of_bob as goal:
            for one in (source, goal):
                one.folder.chmod(0o700)
                subprocess.run(["chown", one.user, str(one.folder)], check=True)
            made = Clusters(service, source, goal, folder)
            yield made
            running.append(made.service)


@pytest.mark.slow
@pytest.mark.parametrize("dies", ["goal", "source", "service"])
def test_a_job_gets_its_data_over_https_whatever_dies_on_the_way(
    clusters: Clusters, dies: str
) -> None:
    digests = clusters.fill(dies, 160)
    assert clusters.add(dies)["state"] == "done"
    clusters.cap(40)
    task = clusters.train(dies)["id"]
    wait_for(lambda: (clusters.transfer(task)["bytes"] or 0) > 20 * MEGABYTE, what="some bytes")
    if dies == "service":
        clusters.kill_service()
    else:
        victim = clusters.goal if dies == "goal" else clusters.source
        victim.kill()
        victim.start()
    clusters.cap(None)
    done = clusters.goal.ended(task)
    assert "through the service" in done["dependencies"][0]["how"]
    lines = [line.split() for line in clusters.goal.output(task).splitlines()]
    assert {name: digest for digest, name in lines} == digests
    history = clusters.goal.client.get(f"/tasks/{task}/history")["items"]
    assert sum("the data is there" in one["message"] for one in history) == 1
