"""Killed, cut off, replaced, restored: nothing is lost, nothing is run twice."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support.agents import AgentProcess
from support.sync_service import SyncService, eventually
from support.waiting import PATIENCE

STEPS = ["intent-written", "submitting-written", "taken-by-the-scheduler", "native-written"]
Counted = {"command": "echo ran >>ran; echo done"}


@pytest.mark.parametrize("step", STEPS)
def test_an_agent_killed_at_any_step_of_a_submission_runs_the_program_exactly_once(
    endpoint: AgentProcess, service: SyncService, step: str
) -> None:
    process = endpoint.start(DIAMOND_TEST_DIE_AT=step)
    task = service.submit(Counted)
    assert process.wait(PATIENCE) == -9
    endpoint.start(DIAMOND_TEST_GRACE="1")
    service.until(task.id, "succeeded")
    assert (endpoint.work / "tasks" / task.id / "run" / "ran").read_text() == "ran\n"


def test_an_agent_that_was_away_tells_what_happened_meanwhile(
    agent: AgentProcess, service: SyncService
) -> None:
    task = service.submit(
        {"command": "echo before; until [ -e go ]; do sleep 0.05; done; echo after; exit 3"}
    )
    service.until(task.id, "running")
    eventually(lambda: service.text(task.id))
    agent.kill()
    (agent.work / "tasks" / task.id / "run" / "go").touch()
    eventually((agent.attempt_folder(task.id) / "runs/1/exit").exists)
    agent.start()
    assert service.until(task.id, "failed").exit_code == 3
    assert (
        eventually(lambda: service.text(task.id).count("\n") == 2 and service.text(task.id))
        == "before\nafter\n"
    )


def test_a_service_that_was_away_hears_everything_once(
    agent: AgentProcess, service: SyncService
) -> None:
    task = service.submit({"command": "echo one; until [ -e go ]; do sleep 0.05; done; echo two"})
    eventually(lambda: service.text(task.id))
    service.stop()
    (agent.work / "tasks" / task.id / "run" / "go").touch()
    eventually((agent.attempt_folder(task.id) / "runs/1/exit").exists)
    service.start()
    service.until(task.id, "succeeded")
    assert (
        eventually(lambda: "two" in service.text(task.id) and service.text(task.id)) == "one\ntwo\n"
    )


def test_a_second_agent_takes_over_and_the_first_stops(
    agent: AgentProcess, service: SyncService, tmp_path: Path
) -> None:
    task = service.submit({"command": "echo ran >>ran; until [ -e go ]; do sleep 0.05; done"})
    service.until(task.id, "running")
    first = agent.process
    assert first is not None
    second = AgentProcess(tmp_path, service)
    second.start()
    assert first.wait(PATIENCE) == 3
    (agent.work / "tasks" / task.id / "run" / "go").touch()
    service.until(task.id, "succeeded")
    assert (agent.work / "tasks" / task.id / "run" / "ran").read_text() == "ran\n"
    second.stop()


def test_a_service_restored_from_a_backup_is_given_the_task_anew(
    agent: AgentProcess, service: SyncService
) -> None:
    task = service.submit({"command": "echo one; until [ -e go ]; do sleep 0.05; done; echo two"})
    service.until(task.id, "running")
    eventually(lambda: service.text(task.id))
    attempt = task.attempt.id
    service.stop()
    service.tasks.clear()
    service.streams.clear()
    service.have.clear()
    service.generation = 0
    service.start()
    eventually(lambda: service.adopted)
    (agent.work / "tasks" / task.id / "run" / "go").touch()
    assert service.until(task.id, "succeeded").attempt.id == attempt
    assert (
        eventually(lambda: "two" in service.text(task.id) and service.text(task.id)) == "one\ntwo\n"
    )


@pytest.mark.slow
def test_a_task_that_a_restored_service_believes_open_is_told_although_it_was_closed(
    agent: AgentProcess, service: SyncService
) -> None:
    task = service.submit({"command": "true"})
    open_task = service.tasks[task.id]
    service.until(task.id, "succeeded")
    eventually((agent.attempt_folder(task.id) / "closed").exists)
    service.stop()
    service.tasks[task.id] = open_task
    service.start()
    service.until(task.id, "succeeded")


def test_a_lost_mark_in_the_inbox_delays_the_news_and_loses_nothing(
    agent: AgentProcess, service: SyncService
) -> None:
    task = service.submit({"command": "rm -rf ../../../inbox; exit 0"})
    service.until(task.id, "succeeded")


def test_an_exit_file_that_is_seen_late_is_waited_for(
    agent: AgentProcess, service: SyncService
) -> None:
    task = service.submit({"command": "until [ -e go ]; do sleep 0.05; done"})
    service.until(task.id, "running")
    mark = agent.work / "inbox" / f"{task.id}.{task.attempt.id}.1.exit"
    mark.touch()
    (agent.work / "tasks" / task.id / "run" / "go").touch()
    service.until(task.id, "succeeded")
    eventually(lambda: not mark.exists())


def test_stopping_the_agent_leaves_jobs_alone(agent: AgentProcess, service: SyncService) -> None:
    task = service.submit({"command": "until [ -e go ]; do sleep 0.05; done"})
    service.until(task.id, "running")
    assert agent.stop() == 0
    (agent.work / "tasks" / task.id / "run" / "go").touch()
    eventually((agent.attempt_folder(task.id) / "runs/1/exit").exists)
    agent.start()
    service.until(task.id, "succeeded")


def test_a_key_that_is_not_accepted_ends_the_agent_with_a_clear_line(
    endpoint: AgentProcess, service: SyncService
) -> None:
    process = endpoint.start()
    process.kill()
    (endpoint.folder / "bad").write_text("another key")
    words = [
        "run",
        "--url",
        service.url,
        "--key-file",
        str(endpoint.folder / "bad"),
        "--scheduler",
        "local",
    ]
    done = subprocess.run(
        [endpoint.python, "-m", "diamond.agent", *words],
        env=endpoint.environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 4
    assert "key" in done.stderr
