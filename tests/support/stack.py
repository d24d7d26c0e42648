"""A Slurm cluster, a real service and a real agent, each started and killed at will."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import diamond
from diamond.testing.lab import Cluster
from support.http import Client
from support.service import RunningService, start_service
from support.waiting import PATIENCE, wait_for

SOURCE = Path(diamond.__file__).parent.parent
FINAL = ("succeeded", "failed", "cancelled")
COUNTED = 'echo "$DIAMOND_TASK" >>{}\n'
UNTIL_GO = "until [ -e go ]; do sleep 0.05; done\n"
SMALL = {"resources": {"walltime": "5m", "memory": "100MB"}}

_WRAPPER = """\
#!/bin/bash
# Records each call, then does what the test wrote into the file `mode`, once.
echo "$*" >>{calls}
case " $* " in *" --test-only "*) exec {real} "$@" ;; esac
mode=$(cat {mode} 2>/dev/null)
rm -f {mode}
case $mode in
  die-before) kill -9 $$ ;;
  hold-before) touch {held}; until [ -e {go} ]; do sleep 0.02; done ;;
esac
case $mode in
  die-after) {real} "$@" >/dev/null; kill -9 $$ ;;
  hold-after) answer=$({real} "$@"); touch {held}
    until [ -e {go} ]; do sleep 0.02; done; echo "$answer" ;;
  *) exec {real} "$@" ;;
esac
"""
_numbers = count(1)


class Sbatch:
    """An `sbatch` before the real one, which a test can make die or wait."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.bin.mkdir(parents=True)
        self._places = {name: self.bin / name for name in ("calls", "mode", "held", "go")}
        real = shutil.which("sbatch")
        assert real, "sbatch is not on PATH"
        quoted = {name: shlex.quote(str(path)) for name, path in self._places.items()}
        program = self.bin / "sbatch"
        program.write_text(_WRAPPER.format(real=shlex.quote(real), **quoted))
        program.chmod(0o755)

    @property
    def calls(self) -> int:
        """How often a job was submitted, without the probe's --test-only calls."""
        try:
            lines = self._places["calls"].read_text().splitlines()
        except FileNotFoundError:
            return 0
        return sum("--test-only" not in line for line in lines)

    def next(self, mode: str) -> None:
        """What the next call does: die-before, die-after, hold-before, hold-after."""
        for name in ("calls", "held", "go"):
            self._places[name].unlink(missing_ok=True)
        self._places["mode"].write_text(mode)

    def wait_until_held(self) -> None:
        wait_for(self._places["held"].exists, what="sbatch that waits")

    def release(self) -> None:
        self._places["go"].touch()


@dataclass
class Stack:
    """`agent` is None until one is started. `work` may be on another file system."""

    cluster: Cluster
    folder: Path
    service: RunningService
    sbatch: Sbatch
    work: Path
    name: str
    key: str = ""
    agent: subprocess.Popen[bytes] | None = None
    agents: list[subprocess.Popen[bytes]] = field(default_factory=list)
    within: list[str] = field(default_factory=list)
    """A command to run the agent in."""

    @property
    def client(self) -> Client:
        return self.service.client

    @property
    def counter(self) -> Path:
        """Each execution of a program appends a line."""
        return self.folder / "executions"

    def start_agent(self, *, ready: bool = True, **variables: str) -> subprocess.Popen[bytes]:
        words = [sys.executable, "-m", "diamond.agent", "run", "--url", self.service.url]
        key = self.folder / "key"
        key.write_text(self.key)
        with (self.folder / "agent.out").open("ab") as log:
            self.agent = subprocess.Popen(
                [*self.within, *words, "--key-file", str(key), "--scheduler", "slurm"],
                env={**self._environment(), **variables},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self.agents.append(self.agent)
        if ready:
            wait_for(self._is_ready, what="profile of the cluster")
        return self.agent

    def restart_what_died(self) -> None:
        """Restart what an earlier test has killed."""
        if self.service.process.poll() is not None:
            self.start_service()
        if self.agent is None or self.agent.poll() is not None:
            self.start_agent()

    def kill_agent(self) -> None:
        assert self.agent is not None
        self.agent.kill()
        self.agent.wait(PATIENCE)

    def pause_agent(self) -> None:
        assert self.agent is not None
        self.agent.send_signal(signal.SIGSTOP)

    def resume_agent(self) -> None:
        assert self.agent is not None
        self.agent.send_signal(signal.SIGCONT)

    def kill_service(self) -> None:
        self.service.kill()

    def start_service(self) -> None:
        """In the same place, with the same state."""
        self.service = start_service(
            self.service.home, port=self.service.port, database_url=self.service.database_url
        )

    def restart_service(self) -> None:
        self.kill_service()
        self.start_service()

    def submit(self, program: str, **spec: Any) -> str:
        """Submit a task whose program first records its execution; returns its id."""
        return str(self.post(program, **spec)["tasks"][0]["id"])

    def post(self, program: str, *, key: str = "", **spec: Any) -> Any:
        counted = COUNTED.format(shlex.quote(str(self.counter))) + program
        body = {"spec": {"name": "fault", "run": counted, "on": self.name, **SMALL, **spec}}
        return self.client.post("/jobs", body, **({"Idempotency-Key": key} if key else {}))

    def task(self, task: str) -> Any:
        return self.client.get(f"/tasks/{task}")

    def until(self, task: str, *states: str, seconds: float = PATIENCE) -> Any:
        """Wait for a state or a phase; any other end fails at once."""

        def look() -> Any:
            seen = self.task(task)
            if {seen["state"], seen["phase"]} & set(states):
                return seen
            assert seen["state"] not in FINAL, (seen, self.told(task))
            return None

        try:
            return wait_for(look, seconds, every=0.1, what=f"{states} of {task}")
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.told(task)}\n{self.agent_log()}") from None

    def history(self, task: str) -> Any:
        return self.client.get(f"/tasks/{task}/history")["items"]

    def told(self, task: str) -> list[tuple[str, str]]:
        """The task's history: (type, message)."""
        return [(line["type"], line["message"]) for line in self.history(task)]

    def executions(self, task: str) -> int:
        try:
            return self.counter.read_text().split().count(task)
        except FileNotFoundError:
            return 0

    def run_dir(self, task: str) -> Path:
        return self.work / "tasks" / task / "run"

    def attempt_folder(self, task: str) -> Path:
        return self.work / "tasks" / task / "attempts" / str(self.task(task)["attempt"])

    def go(self, task: str) -> None:
        """Release a program that waits at UNTIL_GO."""
        (self.run_dir(task) / "go").touch()

    def native_id(self, task: str) -> str:
        return str(wait_for(lambda: self.task(task)["native_id"], what="job id"))

    def slurm(self, *words: str, check: bool = True) -> str:
        """Run a Slurm command without Diamond; returns its output."""
        return self.cluster.run(words, check=check).stdout.strip()

    def agent_log(self) -> str:
        return (self.folder / "keep" / "agent.log").read_text()[-4000:]

    def check_logs(self, task: str) -> None:
        """Wait until every byte of every log file is at the service, once."""
        written = (self.attempt_folder(task) / "runs").glob("*/stdout.log")
        runs = [int(file.parent.name) for file in written]
        assert runs, "no run has written a log"
        for run in runs:
            for stream in ("stdout", "stderr"):
                wait_for(
                    lambda: self._is_carried(task, run, stream),  # noqa: B023
                    what=f"{stream} of run {run} as in its file",
                )

    def check(self, task: str, executions: int = 1) -> None:
        """Check the guarantees that hold whatever happens."""
        assert self.executions(task) == executions
        self.check_logs(task)

    def close(self) -> None:
        for agent in self.agents:
            agent.kill()
            agent.wait(PATIENCE)
        self.service.stop()
        self._cancel_jobs()

    def _cancel_jobs(self) -> None:
        """Only this stack's jobs: others may use the cluster too."""
        written = self.work.glob("tasks/*/attempts/*/native.json")
        ids = [str(json.loads(file.read_text())["native_id"]) for file in written]
        if ids:
            self.slurm("scancel", "--quiet", *ids, check=False)

    def _is_carried(self, task: str, run: int, stream: str) -> bool:
        file = self.attempt_folder(task) / "runs" / str(run) / f"{stream}.log"
        return self._log(task, stream, run) == file.read_bytes()

    def _log(self, task: str, stream: str, run: int) -> bytes:
        answer = self.client.call("GET", f"/tasks/{task}/logs/{stream}?run={run}")
        return answer.body if answer.status == 200 else b""

    def _is_ready(self) -> bool:
        endpoint = self.client.get(f"/endpoints/{self.name}")
        facts = endpoint["profile"].get("facts", {})
        return endpoint["state"] == "online" and "partitions" in facts

    def _environment(self) -> dict[str, str]:
        env = self.cluster.command_env(None)
        return {
            **env,
            "PATH": f"{self.sbatch.bin}{os.pathsep}{env['PATH']}",
            "PYTHONPATH": str(SOURCE),
            "DIAMOND_KEEP": str(self.folder / "keep"),
            "DIAMOND_WORK": str(self.work),
            "DIAMOND_TMP": str(self.folder),
            "DIAMOND_TEST_GRACE": "2",
            "DIAMOND_TEST_QUESTIONS": "60",
        }


@contextmanager
def running_stack(
    cluster: Cluster, folder: Path, *, work: Path | None = None, database_url: str = ""
) -> Iterator[Stack]:
    """Service and agent in a folder; the agent is online and has sent its site profile."""
    stack = new_stack(cluster, folder, work=work, database_url=database_url)
    try:
        stack.start_agent()
        yield stack
    finally:
        stack.close()


def new_stack(
    cluster: Cluster, folder: Path, *, work: Path | None = None, database_url: str = ""
) -> Stack:
    """Only the service, with an endpoint that has no agent yet."""
    service = start_service(folder / "home", database_url=database_url)
    name = f"cluster{next(_numbers)}"
    added = service.client.post("/endpoints", {"name": name, "carrier": "local"})
    return Stack(
        cluster, folder, service, Sbatch(folder), work or folder / "work", name, added["key"]
    )
