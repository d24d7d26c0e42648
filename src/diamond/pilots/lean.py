"""A program without a batch script: the node's runner claims, and writes `started`, `heartbeat` and `exit`, as that would.

One process in the node's own system, or in a virtual environment; whatever else an order may ask for has the batch script
(docs/internals/pilots.md). What the files mean is in docs/internals/run-directory.md.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from functools import lru_cache
from pathlib import Path
from typing import Any, Dict, List, Mapping, NamedTuple, Optional

from diamond.core.decoding import decode
from diamond.pilots.requests import Lean

BEAT_SECONDS, SAMPLE_SECONDS = 15.0, 5.0
LEAD_SECONDS = 120
"""Before the time limit, where the order says nothing else."""
TURNED_AWAY = 74


class TurnedAway(Exception):
    """Nothing is started: it was cancelled before, or another holds the attempt."""


class Prepared(NamedTuple):
    words: List[str]
    folder: str
    environment: Dict[str, str]
    out: int
    err: int


class LeanRun:
    """One run of one attempt. All paths are below the attempt's folder, except the working directory and the inbox."""

    def __init__(self, launch: Mapping[str, Any], given: Lean, host: str) -> None:
        self._given, self._host = given, host
        self._attempt, self._folder = str(launch["id"]), str(launch["folder"])
        self._place = f"{self._folder}/runs/1"
        self._environment: Mapping[str, str] = launch["environment"]
        self._began, self._wall = time.monotonic(), time.time()
        self._seconds = float(launch["seconds"])
        self._beat_at = self._began + BEAT_SECONDS
        self._sample_at: Optional[float] = self._began + SAMPLE_SECONDS
        self._stop_at: Optional[float] = self._began + self._seconds - self._lead()
        self._pid = 0

    @classmethod
    def begin(cls, launch: Mapping[str, Any], host: str) -> LeanRun:
        """Claim the attempt. Raises `TurnedAway`, or `OSError` where that cannot be written."""
        run = cls.of(launch, host)
        run._claim()
        return run

    @classmethod
    def of(cls, launch: Mapping[str, Any], host: str) -> LeanRun:
        return cls(launch, decode(Lean, launch["lean"]), host)

    @property
    def run_dir(self) -> str:
        return self._given.run_dir

    @property
    def due(self) -> float:
        """When `time_passed` has something to do."""
        dues = (self._beat_at, self._sample_at, self._stop_at)
        return min(each for each in dues if each is not None)

    @property
    def call(self) -> List[str]:
        return self._given.call

    def prepare(self, inherited: Mapping[str, str]) -> Prepared:
        return Prepared(
            self._given.words,
            self._given.run_dir,
            self._variables(inherited),
            _open_log(f"{self._place}/stdout.log"),
            _open_log(f"{self._place}/stderr.log"),
        )

    def call_environment(self, inherited: Mapping[str, str]) -> Dict[str, str]:
        """Of the plain call of Python."""
        return {**self._variables(inherited), **self._given.call_variables}

    def started(self, pid: int) -> None:
        self._pid = pid
        line = f"{self._job} 0 {self._host} {int(self._wall)} {int(self._seconds)}\n"
        self._write("started", line)
        self._mark("started")
        self._write("facts.jsonl", json.dumps(self._facts(), separators=(",", ":")) + "\n")

    def failed(self, text: str) -> None:
        with contextlib.suppress(OSError):
            log = _open_log(f"{self._place}/stderr.log")
            os.write(log, text.encode())
            os.close(log)

    def time_passed(self, now: float) -> None:
        if now >= self._beat_at:
            self._beat_at = now + BEAT_SECONDS
            self._write("heartbeat", f"{int(time.time())}\n")
        if self._stop_at is not None and now >= self._stop_at:
            self._stop_at = None
            _create(f"{self._folder}/stop")
        if self._sample_at is not None and now >= self._sample_at:
            self._sample_at = None
            self._sample()

    def ended(self, code: int) -> None:
        self._note_artifacts()
        shown = code if code >= 0 else 128 - code
        self._write("exit", f"{shown} {int(time.time())}\n")
        self._mark("exit")

    @property
    def _job(self) -> str:
        return self._environment.get("DIAMOND_PILOT_JOB_ID", self._attempt)

    def _lead(self) -> float:
        return min(float(self._given.lead_seconds or LEAD_SECONDS), self._seconds / 2)

    def _claim(self) -> None:
        for name in ("tombstone", "over"):
            if os.path.exists(f"{self._folder}/{name}"):  # noqa: PTH110
                raise TurnedAway("this attempt was cancelled or has ended before")
        try:
            os.mkdir(f"{self._folder}/claim")  # noqa: PTH102
        except FileExistsError:
            raise TurnedAway("another job holds this attempt") from None
        _put(f"{self._folder}/claim/owner", f"{self._job} {self._host} {int(self._wall)}\n")

    def _variables(self, inherited: Mapping[str, str]) -> Dict[str, str]:
        given, folder = self._given, self._folder
        variables = {
            **inherited,
            **self._environment,
            "DIAMOND_TASK": given.task,
            "DIAMOND_ATTEMPT": self._attempt,
            "DIAMOND_RUN": "1",
            "DIAMOND_ATTEMPT_NUMBER": str(given.number),
            "DIAMOND_RUN_DIR": given.run_dir,
            "DIAMOND_DATA": f"{folder}/data",
            "DIAMOND_INPUTS": f"{folder}/data",
            "DIAMOND_PARAMS": f"{folder}/params.json",
            "DIAMOND_METRICS": f"{self._place}/metrics.jsonl",
            "DIAMOND_STOP_FILE": f"{folder}/stop",
            "DIAMOND_RESUME_FROM": "",
            "DIAMOND_DEADLINE": str(int(self._wall + self._seconds)),
            "PYTHONUNBUFFERED": "1",
            "PYTHONPATH": given.training,
            "PWD": given.run_dir,
        }
        if given.path:
            variables["PYTHONNOUSERSITE"] = "1"
            variables["PATH"] = ":".join([*given.path, inherited.get("PATH", "")])
        return {**given.defaults, **variables, **given.variables}

    def _facts(self) -> Dict[str, Any]:
        facts = {
            "host": self._host,
            "nodes": self._environment.get("DIAMOND_PILOT_NODES", ""),
            **_machine(),
        }
        venv = self._given.variables.get("VIRTUAL_ENV", "")
        return {**facts, **_packages(venv)} if venv else facts

    def _note_artifacts(self) -> None:
        """What a program leaves in artifacts/ is a result, also if it never says so."""
        with contextlib.suppress(OSError):
            if os.listdir(f"{self._given.run_dir}/artifacts"):  # noqa: PTH208
                results = {"results": [{"name": "artifacts", "path": "artifacts"}]}
                _append(f"{self._place}/facts.jsonl", json.dumps(results, separators=(",", ":")))

    def _sample(self) -> None:
        command = [sys.executable, "-m", "diamond.training.sampler"]
        with contextlib.suppress(OSError):
            subprocess.Popen(
                [*command, "--run-folder", self._place, "--pid", str(self._pid)],
                env={"PYTHONPATH": self._given.training, "PATH": os.environ.get("PATH", "")},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )

    def _write(self, name: str, text: str) -> None:
        """If the disk is full there is no such file, and the journal decides."""
        with contextlib.suppress(OSError):
            _put(f"{self._place}/{name}", text)

    def _mark(self, word: str) -> None:
        _create(f"{self._given.inbox}/{self._given.task}.{self._attempt}.1.{word}")


def _put(path: str, text: str) -> None:
    """One line in one write: whoever reads it believes it once it ends."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        os.write(file, text.encode())
    finally:
        os.close(file)


def _append(path: str, line: str) -> None:
    file = _open_log(path)
    os.write(file, f"{line}\n".encode())
    os.close(file)


def _create(path: str) -> None:
    with contextlib.suppress(OSError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))


def _open_log(path: str) -> int:
    return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)


@lru_cache
def _machine() -> Mapping[str, Any]:
    """As the batch script notes it; the same for all programs of a node."""
    facts: Dict[str, Any] = {"kernel": os.uname().release}
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(errors="replace").splitlines():
            if line.startswith("model name"):
                facts["cpu"] = line.partition(": ")[2][:500]
                break
    with contextlib.suppress(OSError, ValueError):
        facts["memory_mb"] = int(Path("/proc/meminfo").read_text().split()[1]) // 1024
    with contextlib.suppress(OSError):
        facts["driver"] = Path("/proc/driver/nvidia/version").read_text().splitlines()[0][:500]
    return facts


@lru_cache(maxsize=64)
def _packages(venv: str) -> Mapping[str, Any]:
    """Of a virtual environment, by the names of their folders."""
    places = Path(venv).glob("lib/python*/site-packages/*-*.dist-info")
    names = [place.name[: -len(".dist-info")].rpartition("-") for place in places]
    packages = {name: version for name, _, version in sorted(names) if name}
    return {"packages": packages} if packages else {}
