"""Starts the real agent as a process, with its own folders."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import diamond
from diamond.schedulers.registry import load_scheduler
from support.sync_service import KEY, SyncService
from support.waiting import PATIENCE

SOURCE = Path(diamond.__file__).parent.parent


@dataclass
class AgentProcess:
    """An endpoint in a folder; it can be started again after it ended."""

    folder: Path
    service: SyncService
    scheduler: str = "local"
    python: str = sys.executable
    variables: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None

    @property
    def keep(self) -> Path:
        return self.folder / "keep"

    @property
    def work(self) -> Path:
        return self.folder / "work"

    def start(self, **variables: str) -> subprocess.Popen[bytes]:
        self.keep.mkdir(parents=True, exist_ok=True)
        key = self.folder / "key"
        key.write_text(KEY)
        words = [
            "run",
            "--url",
            self.service.url,
            "--key-file",
            str(key),
            "--scheduler",
            self.scheduler,
        ]
        log = (self.folder / "agent.out").open("ab")
        self.process = subprocess.Popen(
            [self.python, "-m", "diamond.agent", *words],
            env=self.environment(**variables),
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        return self.process

    def environment(self, **variables: str) -> dict[str, str]:
        return {
            **os.environ,
            "PYTHONPATH": str(SOURCE),
            "DIAMOND_KEEP": str(self.keep),
            "DIAMOND_WORK": str(self.work),
            "DIAMOND_TMP": str(self.folder),
            **self.variables,
            **variables,
        }

    def kill(self) -> None:
        """Like kill -9: nothing is cleaned up."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(PATIENCE)

    def stop(self) -> int:
        if self.process is None:
            return 0
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)

    def end_jobs(self) -> None:
        """Leave nothing running on this machine, even if a test fails half-way."""
        if self.scheduler != "local":
            return
        scheduler = load_scheduler("local", self.work / "schedulers" / "local")
        for file in self.work.glob("tasks/*/attempts/*/native.json"):
            scheduler.cancel(json.loads(file.read_text())["native_id"])

    def attempt_folder(self, task: str) -> Path:
        attempt = self.service.tasks[task].attempt.id
        return self.work / "tasks" / task / "attempts" / attempt

    def log(self) -> str:
        return (self.keep / "agent.log").read_text()
