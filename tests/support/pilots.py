"""Pilots for tests: their orders, what is placed in them, and what their journals say."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diamond.core.task import Task
from diamond.pilots.environment import ENGINES
from diamond.pilots.journal import Ended, Entry, History, read_entry
from diamond.pilots.json_lines import Tail
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


@dataclass
class Load:
    """Stages that are placed again, as another task, when something other than their program ended them."""

    pilot: TestPilot
    notes: Path
    count: int
    seconds: float = 0.3
    wide: int = 0
    """So many of them need two nodes."""

    def __post_init__(self) -> None:
        self.notes.mkdir(parents=True)
        self.tasks: dict[int, list[Task]] = {n: [self._place(n)] for n in range(self.count)}

    def _place(self, number: int) -> Task:
        note = self.notes / str(number)
        command = f"echo begin >>{note}; sleep {self.seconds}; echo done >>{note}"
        wide = {"resources": {"nodes": 2, "walltime_minutes": 5}, "launch": {"kind": "per-rank"}}
        if number < self.wide:
            command = f'[ "$RANK" != 0 ] || echo begin >>{note}; sleep {self.seconds}; [ "$RANK" != 0 ] || echo done >>{note}'
        one = {"resources": {"walltime_minutes": 5}}
        return self.pilot.place(command, **(wide if number < self.wide else one))

    def state(self, task: Task) -> Task:
        return self.pilot.service.tasks[task.id]

    def done(self) -> int:
        return sum(
            self.state(tasks[-1]).state.value == "succeeded" for tasks in self.tasks.values()
        )

    def until_done(self, least: int, seconds: float = 120) -> None:
        eventually(lambda: self.done() >= least, seconds=seconds, why=f"{self.done()} of {least}")

    def place_lost_again(self) -> None:
        for number, tasks in self.tasks.items():
            newest = self.state(tasks[-1])
            if newest.state.value == "failed":
                assert newest.reason.value in LOST, (newest.reason, newest.message)
                tasks.append(self._place(number))

    def finish(self, seconds: float = 240) -> None:
        def finished() -> bool:
            self.place_lost_again()
            return self.done() == self.count

        eventually(finished, seconds=seconds, why=f"{self.done()} of {self.count} are done")

    def check(self) -> None:
        """No stage was finished twice, none is missing, and what the journal says is what the tasks say."""
        for number, tasks in self.tasks.items():
            said = (self.notes / str(number)).read_text().split()
            # The last of its ranks ends a while before all of it has: that it was lost in between is true.
            most = len(tasks) if number < self.wide else 1
            assert 1 <= said.count("done") <= most, (number, said)
            states = [self.state(task).state.value for task in tasks]
            assert states == [*["failed"] * (len(tasks) - 1), "succeeded"]


LOST = ("node-lost", "by-site", "pilot-closed", "wall-time", "preempted")
"""Reasons that say nothing against a program: a pipeline places its stage again."""


def processes_of(pilot: TestPilot, act: str) -> list[int]:
    """Processes of the pilot's program, by what they were started as."""
    return pilot_processes(pilot.task.id, act)


def pilot_processes(task: str, act: str) -> list[int]:
    """The same by the id of its task."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = place.read_bytes().decode(errors="replace").split("\0")
            environment = (place.parent / "environ").read_bytes().decode(errors="replace")
        except OSError:
            continue
        is_ours = act in words and any(word.endswith("pilots/__main__.py") for word in words)
        if is_ours and "srun" not in words[0] and f"DIAMOND_TASK={task}" in environment:
            found.append(int(place.parent.name))
    return found
