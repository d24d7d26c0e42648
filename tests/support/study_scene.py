"""An endpoint whose scripted agent runs trials; what each logs and how it ends is set by the test."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from support.scene import Scene
from support.waiting import wait_for

Params = Mapping[str, Any]
Curve = Callable[[Params], Sequence[float | None]]
"""The objective at steps 1, 2, …, from the trial's params; None: not a number."""


@dataclass
class TrialRunner:
    """Acts like an agent with trials: all that was submitted runs at once, and advances by `step`."""

    scene: Scene
    curve: Curve
    metric: str = "accuracy"
    pace: Callable[[Params], float] | None = None
    """Seconds between two steps, as the lines say."""
    endings: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By task: an `observed` that ends it instead of its exit."""
    ending_of: Callable[[Params, int], dict[str, Any] | None] = lambda params, n: None
    """How the n-th task ends, if not well."""
    keep_running: bool = False
    """Log everything, and do not exit."""
    submitted: list[dict[str, Any]] = field(default_factory=list)
    cancelled: list[dict[str, Any]] = field(default_factory=list)
    waiting: list[dict[str, Any]] = field(default_factory=list)
    """Commands that came with the answer to the last call."""
    pilots: list[dict[str, Any]] = field(default_factory=list)
    """Those that were submitted; what is placed in them runs at once, like everything else."""
    closed: list[str] = field(default_factory=list)
    pilots_fail: bool = False
    flags: bool = True
    """Whether a cancel with a grace finds the program running."""

    def look(self) -> None:
        """One batch of commands: whoever waits for the first of two trials must not be shown both."""
        found = self.waiting or self.scene.agent.commands()["commands"]
        for one in found:
            self._act(one)
        done = [one["id"] for one in found]
        self.waiting = self.scene.agent.commands(done=done)["commands"] if done else []

    def until(self, look: Callable[[], Any], what: str) -> Any:
        def at_work() -> Any:
            self.look()
            return look()

        return wait_for(at_work, what=what)

    def until_state(self, study: str, state: str = "done") -> Any:
        def there() -> Any:
            found = self.scene.client.get(f"/studies/{study}")
            return found if found["state"] == state and not _busy(found) else None

        return self.until(there, f"the study to be {state}")

    def log(
        self,
        task: str,
        attempt: str,
        values: Sequence[float | None],
        offset: int = 0,
        pace: float | None = None,
    ) -> None:
        lines = b"".join(
            _line(self.metric, n, value, pace) for n, value in enumerate(values, start=1)
        )
        part = {"task": task, "attempt": attempt, "run": 1, "rank": 0, "stream": "metrics"}
        self.scene.agent.bytes(({**part, "offset": offset}, lines[offset:]))

    def _act(self, command: dict[str, Any]) -> None:
        if command["type"] == "submit" and command["task_json"]["kind"] == "pilot":
            self._open(command)
        elif command["type"] == "close-pilot":
            self.closed.append(command["task"])
            attempt = next(one["attempt"] for one in self.pilots if one["task"] == command["task"])
            self.scene.tell("exited", command["task"], attempt, run=1, exit_code=0, signal=None)
        elif command["type"] == "submit":
            self._run(command)
        elif command["type"] == "cancel":
            self.cancelled.append(command)
            if command.get("grace") and self.flags:
                self.scene.tell(
                    "note", command["task"], command["attempt"], message="", code="stop-flag"
                )
            self.scene.tell("gone", command["task"], command["attempt"])

    def _open(self, command: dict[str, Any]) -> None:
        self.pilots.append(command)
        task, attempt = command["task"], command["attempt"]
        if self.pilots_fail:
            state = {"status": "ended", "native_state": "FAILED", "reason": "exit-code"}
            self.scene.tell("observed", task, attempt, exit_code=70, **state)
        else:
            self.scene.tell("started", task, attempt, run=1, node="n1", at=self.scene.agent.now)

    def _run(self, command: dict[str, Any]) -> None:
        task, attempt, told = command["task"], command["attempt"], command["task_json"]
        if any(one["task"] == task for one in self.submitted):
            return
        params = told["order"]["params"]
        number = len(self.submitted)
        self.submitted.append(told)
        self.scene.tell("started", task, attempt, run=1, node="n1", at=self.scene.agent.now)
        ending = self.ending_of(params, number)
        if ending is not None and ending.pop("before", False):
            self.scene.tell("observed", task, attempt, status="ended", **ending)
            return
        pace = self.pace(params) if self.pace else None
        self.log(task, attempt, self.curve(params), pace=pace)
        if ending is not None:
            self.scene.tell("observed", task, attempt, status="ended", **ending)
        elif not self.keep_running or told.get("continues"):
            self.scene.tell("exited", task, attempt, run=1, exit_code=0, signal=None)


def _line(metric: str, step: int, value: float | None, pace: float | None) -> bytes:
    data: dict[str, Any] = {"step": step, metric: value}
    if pace is not None:
        data["time"] = 1_800_000_000 + step * pace
    if value is None:
        data["nonfinite"] = [metric]
    return json.dumps(data).encode() + b"\n"


def _busy(study: Mapping[str, Any]) -> bool:
    return bool(study["counts"]["running"] + study["counts"]["stopping"])
