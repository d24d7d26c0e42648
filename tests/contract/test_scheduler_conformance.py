"""Both built-in schedulers pass the suite that other people's inherit too."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from diamond.core.order import Resources
from diamond.schedulers.base import Scheduler
from diamond.schedulers.registry import load_scheduler
from diamond.testing.lab import Lab
from diamond.testing.schedulers import SchedulerConformance

CORES = 2


class TestLocal(SchedulerConformance):
    everything = Resources(cpus_per_task=CORES, walltime_minutes=5)

    @pytest.fixture
    def scheduler(self, tmp_path: Path) -> Scheduler:
        return local(tmp_path / "one")

    @pytest.fixture
    def another(self, tmp_path: Path) -> Scheduler:
        return local(tmp_path / "two")


class TestSlurm(SchedulerConformance):
    everything = Resources(nodes=4, cpus_per_task=8, walltime_minutes=5)
    patience_seconds = 60.0

    @pytest.fixture(autouse=True)
    def on_alpha(self, slurm_lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SLURM_CONF", slurm_lab.cluster("alpha").env()["SLURM_CONF"])

    @pytest.fixture
    def scheduler(self, tmp_path: Path) -> Scheduler:
        return load_scheduler("slurm", tmp_path / "one")

    @pytest.fixture
    def another(self, tmp_path: Path) -> Scheduler:
        return load_scheduler("slurm", tmp_path / "two")


def local(folder: Path) -> Scheduler:
    folder.mkdir(parents=True)
    (folder / "settings.json").write_text(json.dumps({"cores": CORES, "memory_mb": 4000}))
    return load_scheduler("local", folder)
