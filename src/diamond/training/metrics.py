"""Metrics: one JSON line per call of `log`, appended in one write."""

from __future__ import annotations

import atexit
import json
import math
import os
import sys
import threading
import time
from typing import Any, Dict, Optional, Set

from diamond.training.facts import note_program

LINES_PER_SECOND = 200
RESERVED = ("step", "time", "rank", "nonfinite")
_RANK_VARIABLES = ("RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID", "PMI_RANK")
"""The innermost launcher first: in a Slurm job, mpirun's processes inherit SLURM_PROCID=0 from the batch script."""


def log(step: Optional[int] = None, *, every_rank: bool = False, **values: Any) -> None:
    """Record values at a step: `log(step, loss=0.3, accuracy=0.9)`.

    Accepts numbers and anything with `.item()` (a tensor with one element). Without `step`, calls are counted.
    Only rank 0 is recorded, unless `every_rank`. Never raises: a metric must not end a run.
    """
    own = rank()
    _pulse.step(step)
    if own and not every_rank:
        return
    _writer.write(step, values, own if every_rank else None)
    if not own:
        note_program()


def log_beside(**values: Any) -> None:
    """Record values of this rank at the step that was logged last; neither counts as a step nor as progress."""
    _writer.write_beside(values, rank())


def flush() -> None:
    """Write the last values to the file."""
    _writer.flush()


def rank() -> int:
    """The rank of this process, from the launcher's variables; 0 if there are none."""
    for name in _RANK_VARIABLES:
        if os.environ.get(name, "").isdigit():
            return int(os.environ[name])
    return 0


class Pulse:
    """Report this rank's step to the launcher, at most once a second, so that it can find a rank that hangs."""

    def __init__(self) -> None:
        self._count = 0
        self._told_at = float("-inf")

    def step(self, step: Optional[int]) -> None:
        self._count = self._count + 1 if step is None else int(step)
        path, now = os.environ.get("DIAMOND_STEP_FILE", ""), time.monotonic()
        if not path or now - self._told_at < 1.0:
            return
        self._told_at = now
        try:
            with open(path, "w") as target:  # noqa: PTH123
                target.write(f"{self._count}\n")
        except OSError:
            return


class Writer:
    """Writes lines to the file of `DIAMOND_METRICS`, or else in readable form to standard output."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._told: Set[str] = set()
        self._next_step = 0
        self._second = 0
        self._lines_in_second = 0
        self._held_back = b""

    def write(self, step: Optional[int], values: Dict[str, Any], rank: Optional[int]) -> None:
        with self._lock:
            number = self._next_step if step is None else int(step)
            self._next_step = number + 1
            self._record(self._line(number, values, rank))

    def write_beside(self, values: Dict[str, Any], rank: int) -> None:
        with self._lock:
            self._record(self._line(max(0, self._next_step - 1), values, rank))

    def _record(self, line: Dict[str, Any]) -> None:
        path = os.environ.get("DIAMOND_METRICS", "")
        if path:
            self._append(path, json.dumps(line).encode() + b"\n")
        else:
            print(readable(line), flush=True)

    def flush(self) -> None:
        """Write the newest line that was held back, so that the last values are not lost."""
        path = os.environ.get("DIAMOND_METRICS", "")
        with self._lock:
            if path and self._held_back:
                self._put(path, self._held_back)
            self._held_back = b""

    def _line(self, step: int, values: Dict[str, Any], rank: Optional[int]) -> Dict[str, Any]:
        line: Dict[str, Any] = {"step": step, "time": round(time.time(), 3)}
        if rank is not None:
            line["rank"] = rank
        for name, value in values.items():
            self._add(line, name, value)
        return line

    def _add(self, line: Dict[str, Any], name: str, value: Any) -> None:
        try:
            number = _number(value)
        except (TypeError, ValueError, RuntimeError):
            self._tell(f"{name} is not a number and is left out")
            return
        if name in RESERVED:
            self._tell(f"{name} is a reserved name and is left out")
        elif isinstance(number, float) and not math.isfinite(number):
            line[name] = None
            line.setdefault("nonfinite", []).append(name)
        else:
            line[name] = number

    def _append(self, path: str, line: bytes) -> None:
        second = int(time.monotonic())
        if second != self._second:
            self._second, self._lines_in_second = second, 0
            if self._held_back:
                self._put(path, self._held_back)
        self._lines_in_second += 1
        if self._lines_in_second <= LINES_PER_SECOND:
            self._held_back = b""
            self._put(path, line)
        else:
            self._held_back = line
            self._tell(f"more than {LINES_PER_SECOND} metric lines in a second: some are left out")

    def _put(self, path: str, line: bytes) -> None:
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(descriptor, line)
            finally:
                os.close(descriptor)
        except OSError as error:
            self._tell(f"metrics cannot be written: {error}")

    def _tell(self, message: str) -> None:
        if message not in self._told:
            self._told.add(message)
            print(f"diamond: {message}", file=sys.stderr, flush=True)


def readable(line: Dict[str, Any]) -> str:
    """A readable line: `step 3  loss 0.25`."""
    shown = {name: value for name, value in line.items() if name not in ("time", "nonfinite")}
    return "  ".join(f"{name} {_short(value)}" for name, value in shown.items())


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _number(value: Any) -> Any:
    """A plain int or float; numpy and torch scalars have `.item()`."""
    if isinstance(value, (str, bytes)):
        raise TypeError("text")
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, (bool, int)):
        return int(value)
    return float(value)


_writer = Writer()
_pulse = Pulse()
atexit.register(_writer.flush)
