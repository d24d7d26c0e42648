"""The scheduler suite on real daemons of other Slurm versions than the machine's own."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from diamond.core.order import Resources
from diamond.core.task import Reason
from diamond.schedulers.base import Scheduler
from diamond.schedulers.registry import load_scheduler
from diamond.testing.lab import Lab
from diamond.testing.schedulers import SchedulerConformance
from support.slurm import open_folder, skip_without_lab_support
from support.slurm_roots import SUITES, other_slurm

OWN = "own"


@pytest.fixture(scope="module", params=[OWN, *sorted(SUITES)])
def cluster(request: pytest.FixtureRequest) -> Iterator[tuple[str, str, str]]:
    """A version, its programs and the configuration of a cluster that runs it, with memory confined by control groups."""
    if not Path("/sys/fs/cgroup/memory").is_dir():
        pytest.skip(
            "these labs confine memory with control groups of version 1, which this machine has not"
        )
    with _programs(request.param) as programs, open_folder() as folder:
        lab = Lab.up(
            folder,
            clusters="alpha",
            nodes=4,
            gpus=0,
            users="",
            programs=programs,
            accounting=False,
            set=["TaskPlugin=task/cgroup", "ProctrackType=proctrack/cgroup"],
        )
        yield request.param, programs, lab.cluster("alpha").env()["SLURM_CONF"]


@contextlib.contextmanager
def _programs(version: str) -> Iterator[str]:
    """'' for the machine's own."""
    if version == OWN:
        skip_without_lab_support()
        yield ""
        return
    with other_slurm(version) as programs:
        yield str(programs)


@pytest.mark.slow
@pytest.mark.timeout(1800)
class TestOtherSlurms(SchedulerConformance):
    everything = Resources(nodes=4, cpus_per_task=8, walltime_minutes=5)
    patience_seconds = 90.0

    @pytest.fixture(autouse=True)
    def on_the_cluster(
        self, cluster: tuple[str, str, str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        version, programs, conf = cluster
        if version == "26.05":  # drops every backslash from the path of a job's output
            self.odd_name = self.odd_name.replace("\\", "")
        monkeypatch.setenv("SLURM_CONF", conf)
        if programs:
            monkeypatch.setenv("PATH", programs, prepend=":")

    @pytest.fixture
    def scheduler(self, tmp_path: Path) -> Scheduler:
        return load_scheduler("slurm", tmp_path / "one")

    @pytest.fixture
    def another(self, tmp_path: Path) -> Scheduler:
        return load_scheduler("slurm", tmp_path / "two")

    def test_a_job_that_the_kernel_kills_for_its_memory_says_so(
        self, scheduler: Scheduler, folder: Path
    ) -> None:
        """A real kill by the job's control group, as on most sites."""
        small = Resources(memory_mb=50, walltime_minutes=5)
        program = "head -c 300000000 /dev/zero | tail -c 290000000 >/dev/null"
        native_id = scheduler.submit(self.submission_of(scheduler, folder, program, small))
        ended = self.wait_for(scheduler, native_id, "ended")
        assert ended.native_state.startswith("OUT_OF_MEMORY")
        assert ended.reason == Reason.OUT_OF_MEMORY
        assert ended.message
