"""A chain of attempts as the agent's main thread sees it: real folders, and batch jobs controlled by the test."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any, cast

from diamond.agent.disk import write_json
from diamond.agent.folders import Folders
from diamond.agent.site.profile import Profile
from diamond.agent.tasks.attempts import Attempts
from diamond.agent.tasks.folders import AttemptFolder, TaskFolders
from diamond.agent.tasks.work_queue import WorkQueue
from diamond.core.events import Event
from diamond.core.native import NativeStatus

ORDER = {"name": "x", "command": "true"}


class Idle:
    """Replaces the threads: nothing is staged or submitted unless the test says so."""

    def __getattr__(self, name: str) -> Any:
        return self

    def __call__(self, *_: Any, **__: Any) -> None: ...


class Work(Idle):
    """Records what was asked of the batch system."""

    def __init__(self) -> None:
        self.cancelled: list[str] = []
        self.spared: list[str] = []

    def cancel(self, native_ids: list[str], *, at_once: bool = False) -> None:
        self.cancelled += native_ids

    def exclude_nodes(self, _: AttemptFolder, native_id: str) -> None:
        self.spared.append(native_id)


class Chain:
    """A task whose attempts are queued and end as the test says."""

    def __init__(self, tmp_path: Path, ahead: int = 1, **resume: Any) -> None:
        places = Folders(keep=tmp_path / "keep", work=tmp_path / "work", tmp=tmp_path)
        places.make()
        self.tasks, self.told = TaskFolders(places), list[Event]()
        self.profile, self.work = Profile(), Work()
        self.attempts = self._agent()
        order = {**ORDER, "resume": {"on": ["exit-75"], "ahead": ahead, **resume}}
        first = self.tasks.record("t1", "a1", 1, {"task": "t1", "order": order})
        write_json(self.tasks.root / "t1" / "chain.json", {"until": 9, "queue_after_seconds": 0.0})
        self.attempts.load(first)

    def _agent(self) -> Attempts:
        return Attempts(
            self.tasks,
            report=lambda task, event: self.told.append(event),
            profile=lambda: self.profile,
            work=cast("WorkQueue", self.work),
            follow_up_rejection=lambda folder, number: "",
        )

    def restarts(self) -> None:
        """A new agent, which knows only what is in the folders."""
        self.attempts = self._agent()
        for folder in self.tasks.every_attempt():
            if not folder.is_closed:
                self.attempts.load(folder)

    def lines_up(self, until: int) -> None:
        """The first is running; two more are due at once, and the first of these is queued."""
        grant = {"until": until, "queue_after_seconds": 0.0, "cushion_seconds": 1e9}
        self.tasks.write_grant("t1", grant)
        self.has_queue()
        self.runs(1)
        self.attempts.chains.look()
        self.queued(2)
        self.attempts.chains.look()

    def has_queue(self) -> None:
        self.profile.facts["scheduler"] = {"name": "slurm"}

    def attempt(self, number: int) -> AttemptFolder:
        return next(one for one in self.tasks.attempts("t1") if one.number == number)

    def runs(self, number: int, *, heeds: bool = True) -> None:
        """By default, its program saves with `diamond.training`, so it would hand over."""
        folder = self.attempt(number)
        self.queued(number)
        (folder.run_folder(1) / "started").write_text(f"{number} x node1\n")
        if heeds:
            (folder.run_folder(1) / "checkpoints.jsonl").touch()
        self.look(number)

    def queued(self, number: int) -> None:
        self.attempts.submitted(self.attempt(number), str(number))

    def asks_to_continue(self, number: int) -> None:
        self.exits(number, 75)

    def exits(self, number: int, code: int) -> None:
        (self.attempt(number).run_folder(1) / "exit").write_text(f"{code} now\n")
        self.look(number)

    def is_cancelled(self, number: int) -> None:
        """Sent by the service, for the whole task."""
        folder = self.tasks.record_cancel("t1", self.attempt(number).attempt, ends_task=True)
        self.attempts.chains.cancelled(folder)
        self.attempts.cancel(folder)

    def saves_for_a_while(self, number: int) -> None:
        place, begun = self.attempt(number).run_folder(1), time.time() - 2400
        os.utime(place / "started", (begun, begun))

    def arrives(self, number: int) -> None:
        (self.attempt(number).path / "arrived").write_text(f"{number} node1 now\n")
        self.look(number)

    def look(self, number: int) -> None:
        self.attempts.look_at(self.attempt(number).attempt)

    def reports_end(self, number: int) -> None:
        self.hears(number, NativeStatus(status="ended", native_state="CANCELLED"))

    def hears(self, number: int, status: NativeStatus | None) -> None:
        self.attempts.answered({str(number): status})
