"""The built-in schedulers pass the suite that other people's inherit too."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from diamond.core.errors import Refused
from diamond.core.order import Placement, Resources
from diamond.core.task import Reason
from diamond.pilots.runner_pipe import MAIN
from diamond.pilots.settings import DIRECT, PilotSettings, settings_text
from diamond.schedulers.base import Scheduler
from diamond.schedulers.pilot import Fate, PilotScheduler
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


class TestPilot(SchedulerConformance):
    """A pilot is a batch system too: its real program, without an agent above it."""

    placement = Placement(pilot="tpilot")
    everything = Resources(cpus_per_task=CORES, walltime_minutes=5)

    @pytest.fixture
    def scheduler(self, tmp_path: Path) -> Iterator[Scheduler]:
        with running_pilot(tmp_path / "one") as scheduler:
            yield scheduler

    @pytest.fixture
    def another(self, tmp_path: Path) -> Iterator[Scheduler]:
        with running_pilot(tmp_path / "two", task="tother") as scheduler:
            yield scheduler

    def test_two_agents_do_not_mistake_each_others_jobs(
        self, scheduler: Scheduler, another: Scheduler, folder: Path
    ) -> None:
        """Each knows its own pilots alone."""
        native_id = scheduler.submit(self.submission_of(scheduler, folder, "true"))
        assert another.status([native_id]) == {}
        with pytest.raises(Refused, match="closed"):
            another.submit(self.submission_of(another, folder, "true"))
        self.wait_for(scheduler, native_id, "ended")


class Lives:
    """What an agent would know of the one pilot here."""

    def __init__(self, task: str, process: subprocess.Popen[bytes]) -> None:
        self._task, self._process = task, process

    def is_over(self, pilot: str) -> bool:
        return pilot != self._task or self._process.poll() is not None

    def fate(self, pilot: str, allocation: str) -> Fate | None:
        return Fate(Reason.NODE_LOST, "it ended") if self.is_over(pilot) else None


@contextlib.contextmanager
def running_pilot(tasks: Path, task: str = "tpilot") -> Iterator[Scheduler]:
    folder, attempt = tasks / task / "run" / "pilot", tasks / task / "attempts" / "a1"
    folder.mkdir(parents=True)
    (attempt / "claim").mkdir(parents=True)
    (attempt / "claim" / "owner").write_text("77 here 0\n")
    order = {"resources": {"cpus_per_task": CORES}}
    (tasks / task / "task.json").write_text(json.dumps({"order": order}))
    settings = PilotSettings(str(folder), str(attempt), task, engine=DIRECT, cores=CORES)
    (attempt / "pilot.json").write_text(settings_text(settings))
    command = [sys.executable, "-E", "-s", MAIN, "run", str(attempt / "pilot.json")]
    process = subprocess.Popen(command)
    try:
        yield PilotScheduler(tasks, Lives(task, process))
    finally:
        process.kill()
        process.wait(30)


def local(folder: Path) -> Scheduler:
    folder.mkdir(parents=True)
    (folder / "settings.json").write_text(json.dumps({"cores": CORES, "memory_mb": 4000}))
    return load_scheduler("local", folder)
