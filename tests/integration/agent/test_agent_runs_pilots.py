"""A pilot is a task; tasks that are placed in it run inside its job, by the same agent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from diamond.core.task import Task
from diamond.pilots.journal import Claimed, Ended, Entry, Opened, read_entry
from diamond.pilots.lines import Tail
from diamond.pilots.requests import Close, request_line
from support.agents import AgentProcess
from support.sync_service import SyncService, eventually

TWO_CORES = {"cpus_per_task": 2, "walltime_minutes": 10}


def start_pilot(service: SyncService, **order: Any) -> Task:
    pilot = {"idle_seconds": 60, "engine": "direct"}
    return service.submit({"pilot": pilot, "resources": TWO_CORES, **order})


def inside(pilot: Task, command: str, **order: Any) -> dict[str, Any]:
    return {"command": command, "placement": {"pilot": pilot.id}, **order}


def pilot_folder(agent: AgentProcess, pilot: Task) -> Path:
    return agent.work / "tasks" / pilot.id / "run" / "pilot"


def journal(agent: AgentProcess, pilot: Task) -> list[Entry]:
    lines = Tail(str(pilot_folder(agent, pilot) / "journal.jsonl")).read()
    return [entry for _, line in lines if (entry := read_entry(line)) is not None]


def test_two_tasks_run_in_a_pilot_and_a_third_is_refused_once_it_has_closed(
    agent: AgentProcess, service: SyncService
) -> None:
    pilot = start_pilot(service)
    first = service.submit(inside(pilot, "echo one; echo $DIAMOND_PILOT_JOB_ID"))
    second = service.submit(inside(pilot, "exit 3"))
    assert service.until(first.id, "succeeded").exit_code == 0
    ended = service.until(second.id, "failed")
    assert (ended.exit_code, ended.reason.value) == (3, "exit-code")
    native = f"{pilot.id}.{first.attempt.id}"
    eventually(lambda: service.text(first.id) == f"one\n{native}\n")
    entries = journal(agent, pilot)
    assert isinstance(entries[0], Opened)
    assert [each.id for each in entries if isinstance(each, Claimed)] == [
        first.attempt.id,
        second.attempt.id,
    ]
    assert {each.id: each.code for each in entries if isinstance(each, Ended)} == {
        first.attempt.id: 0,
        second.attempt.id: 3,
    }
    with (pilot_folder(agent, pilot) / "requests.jsonl").open("a") as file:
        file.write(json.dumps(request_line(Close())) + "\n")
    assert service.until(pilot.id, "succeeded").exit_code == 0
    late = service.submit(inside(pilot, "true"))
    assert service.until(late.id, "failed").reason.value == "pilot-closed"
