"""The agent on real Slurm: what happens behind its back is seen, named, and never invented."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from diamond.core.task import Task
from diamond.testing.lab import Lab
from support.agents import AgentProcess
from support.sync_service import SyncService, eventually
from support.waiting import PATIENCE


@pytest.fixture
def variables(slurm_lab: Lab) -> dict[str, str]:
    return slurm_lab.cluster("alpha").env()


@pytest.fixture
def agent(
    tmp_path: Path, service: SyncService, variables: dict[str, str]
) -> Iterator[AgentProcess]:
    agent = AgentProcess(tmp_path, service, scheduler="slurm", variables=variables)
    agent.start()
    yield agent
    agent.stop()


def submit(service: SyncService, command: str) -> Task:
    return service.submit({"command": command, "resources": {"walltime_minutes": 5}})


def slurm(variables: dict[str, str], *words: str) -> str:
    environment = {**os.environ, **variables}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_job_runs_and_its_log_and_code_come_home(
    agent: AgentProcess, service: SyncService
) -> None:
    task = submit(service, "echo on $DIAMOND_ATTEMPT_NUMBER; exit 7")
    ended = service.until(task.id, "failed")
    assert (ended.exit_code, ended.reason.value) == (7, "exit-code")
    assert eventually(lambda: service.text(task.id)) == "on 1\n"


def test_a_cancelled_job_is_gone_from_the_queue(
    agent: AgentProcess, service: SyncService, variables: dict[str, str]
) -> None:
    task = submit(service, "exec sleep 600")
    service.until(task.id, "running")
    service.cancel(task.id)
    ended = service.until(task.id, "cancelled")
    native = ended.attempt.native_id
    eventually(lambda: not slurm(variables, "squeue", "-h", "-t", "RUNNING", "-j", native))


@pytest.mark.slow
def test_an_end_from_outside_is_seen(
    agent: AgentProcess, service: SyncService, variables: dict[str, str]
) -> None:
    task = submit(service, "trap '' TERM; while :; do sleep 1; done")
    running = service.until(task.id, "running")
    slurm(variables, "scancel", "-s", "KILL", "--full", running.attempt.native_id)
    ended = service.until(task.id, "failed")
    assert ended.native_state.startswith(("CANCELLED", "FAILED"))


@pytest.mark.slow
def test_a_requeue_behind_our_back_is_a_second_run(
    agent: AgentProcess, service: SyncService, variables: dict[str, str]
) -> None:
    task = submit(service, "echo run $DIAMOND_RUN; until [ -e go ]; do sleep 0.1; done")
    running = service.until(task.id, "running")
    native = running.attempt.native_id
    slurm(variables, "scontrol", "update", f"JobId={native}", "Requeue=1")
    slurm(variables, "scontrol", "requeue", native)
    eventually(lambda: [e for e in service.of(task.id, "started") if e["run"] == 2])
    (agent.work / "tasks" / task.id / "run" / "go").touch()
    service.until(task.id, "succeeded")
    assert eventually(lambda: service.text(task.id, run=2)) == "run 2\n"
    assert service.text(task.id, run=1) == "run 1\n"


@pytest.mark.parametrize("step", ["submitting-written", "taken-by-the-scheduler"])
def test_an_agent_killed_around_sbatch_runs_the_program_exactly_once(
    tmp_path: Path, service: SyncService, variables: dict[str, str], step: str
) -> None:
    agent = AgentProcess(tmp_path, service, scheduler="slurm", variables=variables)
    process = agent.start(DIAMOND_TEST_DIE_AT=step)
    task = submit(service, "echo ran >>ran")
    assert process.wait(PATIENCE) == -9
    agent.start(DIAMOND_TEST_GRACE="3")
    service.until(task.id, "succeeded")
    assert (agent.work / "tasks" / task.id / "run" / "ran").read_text() == "ran\n"
    agent.stop()


@pytest.mark.slow
def test_a_controller_that_hangs_while_it_is_asked_doubles_nothing(
    slurm_lab: Lab, agent: AgentProcess, service: SyncService
) -> None:
    eventually(lambda: service.profile)
    slurm_lab.cluster("alpha").break_controller("hang")
    task = submit(service, "echo ran >>ran")
    eventually((agent.work / "tasks" / task.id).exists)
    eventually(lambda: "not known whether" in agent.log())
    slurm_lab.cluster("alpha").break_controller("resume")
    service.until(task.id, "succeeded", seconds=120)
    assert (agent.work / "tasks" / task.id / "run" / "ran").read_text() == "ran\n"
    assert service.tasks[task.id].attempt.number == 1


def test_a_program_killed_by_a_signal_is_told_from_one_that_ended_itself(
    agent: AgentProcess, service: SyncService
) -> None:
    killed, ended = submit(service, "bash -c 'kill -9 $$'"), submit(service, "exit 75")
    task = service.until(killed.id, "failed")
    assert (task.reason.value, task.signal) == ("signal", 9)
    assert "SIGKILL" in task.message
    eventually(lambda: service.of(ended.id, "exited"))
    assert service.of(ended.id, "exited")[0]["signal"] is None
