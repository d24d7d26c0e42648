"""Pilots for tests: their orders, what is placed in them, and what their journals say."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diamond.core.task import Task
from diamond.pilots.environment import ENGINES
from diamond.pilots.journal import Ended, Entry, History, read_entry
from diamond.pilots.lines import Tail
from diamond.pilots.requests import Close, request_line
from support.agents import AgentProcess
from support.sync_service import SyncService, eventually


@dataclass(frozen=True)
class TestPilot:
    """A pilot that an agent was asked for."""

    __test__ = False

    agent: AgentProcess
    service: SyncService
    task: Task

    @property
    def folder(self) -> Path:
        return self.agent.work / "tasks" / self.task.id / "run" / "pilot"

    def place(self, command: str, **order: Any) -> Task:
        """Submit a task that runs inside it."""
        return self.service.submit(
            {"command": command, "placement": {"pilot": self.task.id}, **order}
        )

    @property
    def journal(self) -> list[Entry]:
        lines = Tail(str(self.folder / "journal.jsonl")).read()
        return [entry for _, line in lines if (entry := read_entry(line)) is not None]

    @property
    def history(self) -> History:
        history = History()
        for entry in self.journal:
            history.add(entry)
        return history

    def ends(self) -> dict[str, Ended]:
        every = self.history.executions.values()
        return {each.id: each.ended for each in every if each.ended is not None}

    def until_open(self, allocations: int = 1) -> None:
        eventually(lambda: len(self.history.allocations) >= allocations, seconds=90)

    def close(self) -> None:
        with (self.folder / "requests.jsonl").open("a") as file:
            file.write(json.dumps(request_line(Close())) + "\n")


def start_pilot(
    agent: AgentProcess,
    service: SyncService,
    *,
    engine: str = "direct",
    idle_seconds: int = 120,
    **order: Any,
) -> TestPilot:
    """`direct` needs no environment."""
    needs = ENGINES[engine]
    environment = {"environment": {"requirements": needs}} if needs else {}
    pilot = {"idle_seconds": idle_seconds, "engine": engine}
    resources = {"cpus_per_task": 2, "walltime_minutes": 10}
    task = service.submit({"pilot": pilot, "resources": resources, **environment, **order})
    return TestPilot(agent, service, task)
