"""Whatever of a pilot is killed in the middle of its work: nothing finished is repeated, nothing is lost, every state is true."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from diamond.pilots.journal import Claimed
from diamond.testing.lab import Lab
from diamond.testing.lab.lab import Cluster
from support.agents import AgentProcess
from support.pilots import Load, TestPilot, processes_of, start_pilot
from support.sync_service import SyncService, eventually

TWO_NODES = {"nodes": 2, "cpus_per_task": 4, "walltime_minutes": 10}


def kill(pilot: TestPilot, act: str) -> None:
    pids = eventually(lambda: processes_of(pilot, act), why=f"no process {act}")
    os.kill(pids[0], signal.SIGKILL)


def test_on_one_machine_a_killed_runner_and_a_killed_agent_lose_only_what_ran(
    agent: AgentProcess, service: SyncService, tmp_path: Path
) -> None:
    pilot = start_pilot(agent, service)
    load = Load(pilot, tmp_path / "notes", 8, seconds=1.5)
    load.until_done(2)
    kill(pilot, "node")
    load.until_done(4)
    agent.kill()
    agent.start()
    load.finish()
    load.check()
    claims = [each.id for each in pilot.journal if isinstance(each, Claimed)]
    assert len(claims) == len(set(claims))


def test_a_killed_pilot_leaves_nothing_running_and_says_so_of_what_it_ran(
    agent: AgentProcess, service: SyncService
) -> None:
    pilot = start_pilot(agent, service)
    task = pilot.place("echo $$ >pid; exec sleep 600")
    waiting = [pilot.place("exec sleep 600") for _ in range(2)][-1]
    service.until(task.id, "running")
    pid = int(eventually(lambda: read(agent.work / "tasks" / task.id / "run" / "pid")))
    kill(pilot, "run")
    assert service.until(task.id, "failed").reason.value == "node-lost"
    service.until(pilot.task.id, "failed")
    service.until(waiting.id, "failed")
    eventually(lambda: not Path(f"/proc/{pid}").exists())


def program_of(task: str, *, rank: int) -> int:
    """The process of one rank; 0 if there is none yet. Nodes of the lab number their processes themselves."""
    for place in Path("/proc").glob("[0-9]*/environ"):
        try:
            variables = place.read_bytes().split(b"\0")
            words = (place.parent / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        is_its = {f"DIAMOND_TASK={task}".encode(), f"RANK={rank}".encode()} <= set(variables)
        if is_its and words[0] == b"sleep":
            return int(place.parent.name)
    return 0


def read(path: Path) -> str:
    return path.read_text().strip() if path.exists() else ""


class TestOnSlurm:
    @pytest.fixture
    def cluster(self, slurm_lab: Lab) -> Cluster:
        return slurm_lab.cluster("alpha")

    @pytest.fixture
    def agent(
        self, tmp_path: Path, service: SyncService, cluster: Cluster
    ) -> Iterator[AgentProcess]:
        agent = AgentProcess(tmp_path, service, scheduler="slurm", variables=cluster.env())
        agent.start()
        yield agent
        for task in list(service.tasks):
            service.cancel(task)
        agent.stop()

    @pytest.fixture
    def pilot(self, agent: AgentProcess, service: SyncService) -> TestPilot:
        return start_pilot(agent, service, engine="dask", resources=TWO_NODES)

    @pytest.mark.slow
    def test_the_engine_a_worker_the_agent_and_a_rank_one_after_the_other(
        self, pilot: TestPilot, agent: AgentProcess, service: SyncService, tmp_path: Path
    ) -> None:
        load = Load(pilot, tmp_path / "notes", 50, seconds=1.0, wide=6)
        load.until_done(4)
        kill(pilot, "dask-scheduler")
        load.place_lost_again()
        load.until_done(12)
        kill(pilot, "dask-worker")
        load.until_done(20)
        agent.kill()
        agent.start()
        load.finish()
        load.check()
        wide = pilot.place(
            "exec sleep 600",
            resources={"nodes": 2, "walltime_minutes": 5},
            launch={"kind": "per-rank"},
        )
        beside = pilot.place("until [ -e go ]; do sleep 0.1; done")
        service.until(beside.id, "running")
        tasks = agent.work / "tasks"
        os.kill(eventually(lambda: program_of(wide.id, rank=1)), signal.SIGKILL)
        assert service.until(wide.id, "failed").reason.value == "signal"
        (tasks / beside.id / "run" / "go").touch()
        service.until(beside.id, "succeeded")
        assert len(pilot.history.allocations) == 1

    @pytest.mark.slow
    @pytest.mark.parametrize("how", ["scancel", "node"])
    def test_an_allocation_that_ends_in_the_middle(
        self,
        how: str,
        pilot: TestPilot,
        agent: AgentProcess,
        service: SyncService,
        cluster: Cluster,
        tmp_path: Path,
    ) -> None:
        load = Load(pilot, tmp_path / "notes", 50, seconds=1.0, wide=6)
        load.until_done(10)
        if how == "scancel":
            slurm(cluster, "scancel", pilot.history.allocation)
        else:
            cluster.break_node(pilot.history.allocations[0].nodes[-1].name, "fail")
        try:
            ended = service.until(pilot.task.id, "failed", seconds=120)
            assert ended.reason.value == ("by-site" if how == "scancel" else "node-lost")
            load.pilot = start_pilot(agent, service, engine="dask", resources=TWO_NODES)
            load.finish()
            load.check()
        finally:
            if how == "node":
                cluster.break_node(pilot.history.allocations[0].nodes[-1].name, "start")

    @pytest.mark.slow
    def test_a_cancelled_pilot_leaves_nothing_running(
        self, pilot: TestPilot, service: SyncService, cluster: Cluster, tmp_path: Path
    ) -> None:
        load = Load(pilot, tmp_path / "notes", 8, seconds=600, wide=1)
        eventually(
            lambda: (
                sum(load.state(t[-1]).state.value == "running" for t in load.tasks.values()) > 4
            ),
            seconds=120,
        )
        service.cancel(pilot.task.id)
        service.until(pilot.task.id, "cancelled", seconds=90)
        for tasks in load.tasks.values():
            service.until(tasks[-1].id, "failed", seconds=90)
        assert processes_of(pilot, "node") == []
        running = slurm(cluster, "squeue", "-h", "-t", "RUNNING", "-j", pilot.history.allocation)
        assert not running


def slurm(cluster: Cluster, *words: str) -> str:
    environment = {**os.environ, **cluster.env()}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    return done.stdout.strip()
