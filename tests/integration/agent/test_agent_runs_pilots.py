"""A pilot is a task; tasks that are placed in it run inside its job, by the same agent."""

from __future__ import annotations

from diamond.pilots.journal import Claimed, Opened
from support.agents import AgentProcess
from support.pilots import start_pilot
from support.sync_service import SyncService, eventually


def test_two_tasks_run_in_a_pilot_and_a_third_is_refused_once_it_has_closed(
    agent: AgentProcess, service: SyncService
) -> None:
    pilot = start_pilot(agent, service)
    first = pilot.place("echo one; echo $DIAMOND_PILOT_JOB_ID")
    second = pilot.place("exit 3")
    assert service.until(first.id, "succeeded").exit_code == 0
    ended = service.until(second.id, "failed")
    assert (ended.exit_code, ended.reason.value) == (3, "exit-code")
    native = f"{pilot.task.id}.{first.attempt.id}"
    eventually(lambda: service.text(first.id) == f"one\n{native}\n")
    assert isinstance(pilot.journal[0], Opened)
    ids = [first.attempt.id, second.attempt.id]
    assert sorted(each.id for each in pilot.journal if isinstance(each, Claimed)) == sorted(ids)
    assert [pilot.ends()[each].code for each in ids] == [0, 3]
    pilot.close()
    assert service.until(pilot.task.id, "succeeded").exit_code == 0
    late = pilot.place("true")
    assert service.until(late.id, "failed").reason.value == "pilot-closed"


def test_a_cancelled_task_ends_in_its_pilot_and_the_pilot_with_all_that_it_runs(
    agent: AgentProcess, service: SyncService
) -> None:
    pilot = start_pilot(agent, service)
    first, second = (pilot.place("trap '' TERM; while :; do sleep 0.1; done") for _ in range(2))
    waiting = pilot.place("true")
    for task in (first, second):
        service.until(task.id, "running")
    service.cancel(waiting.id)
    service.until(waiting.id, "cancelled")
    service.cancel(first.id)
    service.until(first.id, "cancelled")
    assert service.tasks[second.id].state.value == "running"
    service.cancel(pilot.task.id)
    service.until(pilot.task.id, "cancelled")
    ended = service.until(second.id, "failed")
    assert ended.reason.value in ("by-site", "node-lost")
    assert "pilot" in ended.message
