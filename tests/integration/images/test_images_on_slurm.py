"""Built by a batch job on one cluster, used on another as another Unix account."""

from __future__ import annotations

from pathlib import Path

import pytest

from diamond.testing.lab import Lab
from support.containers import skip_without
from support.image_machines import machine
from support.service import RunningService


@pytest.mark.slow
@pytest.mark.parametrize("runtime", ["apptainer", "charliecloud", "podman"])
def test_an_image_of_one_cluster_runs_on_another(
    service: RunningService, folder: Path, slurm_lab: Lab, runtime: str
) -> None:
    skip_without(runtime)

    def cluster(name: str) -> dict[str, str]:
        variables = slurm_lab.cluster(name).env()
        return {key: value for key, value in variables.items() if key.startswith("SLURM")}

    environment = {
        "base": f"rootfs:{folder / 'busybox.tar'}",
        "variables": {"SEASON": "winter"},
        "commands": [f"echo made by {runtime} on the first cluster >/opt/made"],
        "runtime": runtime,
    }
    small = {"resources": {"walltime": "5m"}, "account": "research"}
    of_alice = machine(
        service, f"first-{runtime}", "alice", folder, scheduler="slurm", variables=cluster("alpha")
    )
    of_bob = machine(
        service, f"second-{runtime}", "bob", folder, scheduler="slurm", variables=cluster("beta")
    )
    with of_alice as first, of_bob as second:
        tasks = [first.run(environment, "cat /opt/made", **small) for _ in range(3)]
        for task in tasks:
            first.ended(task["id"])
        builds = first.client.get(f"/tasks?kind=build&endpoint={first.name}")["items"]
        assert len(builds) == 1

        task = second.run("inside", 'cat /opt/made; echo "$SEASON"', **small)
        assert task["awaits"].startswith("m")
        second.ended(task["id"])
        said = second.output(task["id"]).split("\n")[:2]
        assert said == [f"made by {runtime} on the first cluster", "winter"]
