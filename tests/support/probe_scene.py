"""An endpoint whose scripted agent runs probes; each logs steps at a pace set by the test."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from support.scene import Scene
from support.waiting import wait_for

FACTS: dict[str, Any] = {
    "scheduler": {"name": "slurm", "version": "22.05"},
    "partitions": [{"name": "gpu", "default": True, "max_minutes": 480, "nodes_total": 4}],
    "accounts": [{"name": "research"}],
}
Pace = Callable[[Mapping[str, Any]], float]
"""Seconds per step, from the order's params and resources; 0: the program fails."""


def report_facts(scene: Scene, **more: Any) -> None:
    stamped = {
        name: {"value": value, "source": "sinfo", "at": 7.0}
        for name, value in {**FACTS, **more}.items()
    }
    scene.agent.good("profile", {"version": 1, "probed_at": 7.0, "facts": stamped})


@dataclass
class ProbeRunner:
    """Acts like an agent with probes, one call at a time."""

    scene: Scene
    pace: Pace
    steps: int = 50
    submitted: list[dict[str, Any]] = field(default_factory=list)
    """The `task.json` of every started task."""

    def look(self) -> None:
        found = self.scene.agent.commands()["commands"]
        while found:
            for one in found:
                self._act(one)
            found = self.scene.agent.commands(done=[one["id"] for one in found])["commands"]

    def until(self, look: Callable[[], Any], what: str) -> Any:
        def at_work() -> Any:
            self.look()
            return look()

        return wait_for(at_work, what=what)

    def until_over(self, scale: str) -> Any:
        def over() -> Any:
            found = self.scene.client.get(f"/scales/{scale}")
            return found if found["state"] != "running" else None

        return self.until(over, "the end of the scale")

    def _act(self, command: dict[str, Any]) -> None:
        if command["type"] == "submit":
            self._run(command)
        elif command["type"] == "cancel":
            self.scene.tell("gone", command["task"], command["attempt"])

    def _run(self, command: dict[str, Any]) -> None:
        task, attempt, told = command["task"], command["attempt"], command["task_json"]
        if any(one["task"] == task for one in self.submitted):
            return
        self.submitted.append(told)
        began = self.scene.agent.now
        self.scene.tell("started", task, attempt, run=1, node="n1", at=began)
        pace = self.pace(told["order"])
        if not pace:
            self.scene.tell("exited", task, attempt, run=1, exit_code=1, signal=None)
            ended = {"native_state": "FAILED", "status": "ended", "reason": "out-of-memory"}
            self.scene.tell("observed", task, attempt, **ended, message="out of memory")
            return
        rows = [{"step": n, "time": began + pace * n, "loss": 1.0} for n in range(self.steps)]
        part = {"task": task, "attempt": attempt, "run": 1, "rank": 0, "stream": "metrics"}
        lines = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
        self.scene.agent.bytes(({**part, "offset": 0}, lines))
