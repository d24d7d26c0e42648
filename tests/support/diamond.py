"""The real command line with its own home: `diamond up` and every command after it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.service import SOURCE, free_port
from support.waiting import PATIENCE, wait_for

COMMAND = [sys.executable, "-m", "diamond.cli"]


@dataclass
class Diamond:
    """One user's setup: `folder` is their working directory, `home` is $DIAMOND_HOME."""

    home: Path
    folder: Path
    extra: Mapping[str, str] = field(default_factory=dict)

    @property
    def env(self) -> dict[str, str]:
        own = {name: value for name, value in os.environ.items() if not name.startswith("DIAMOND_")}
        path = os.pathsep.join(filter(None, [str(SOURCE), os.environ.get("PYTHONPATH", "")]))
        return {**own, "PYTHONPATH": path, "DIAMOND_HOME": str(self.home), **self.extra}

    def call(
        self, *words: str, stdin: str = "", timeout: float = 2 * PATIENCE
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end, whatever its exit code; its output is unchanged, including carriage returns."""
        done = subprocess.run(
            [*COMMAND, *words],
            cwd=self.folder,
            env=self.env,
            input=stdin.encode(),
            timeout=timeout,
            capture_output=True,
            check=False,
        )
        return subprocess.CompletedProcess(
            done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
        )

    def ask(self, *words: str, stdin: str = "") -> Any:
        """What a command prints with --json; it must succeed."""
        done = (
            self.call(*words, "--json", stdin=stdin) if "--" not in words else self._before(words)
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def submit(self, *command: str, options: tuple[str, ...] = ()) -> str:
        """Run a bare command; returns the id of its task."""
        return str(self.ask("run", *options, "--", *command)["tasks"][0]["id"])

    def start(self, *words: str) -> subprocess.Popen[str]:
        """A command that keeps running; the caller ends it."""
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [*COMMAND, *words],
            cwd=self.folder,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=pipe,
            stderr=pipe,
            text=True,
            start_new_session=True,
        )

    def state(self, task: str) -> str:
        return str(self.ask("show", task)["state"])

    def wait_for_state(self, task: str, *states: str, seconds: float = PATIENCE) -> None:
        wait_for(lambda: self.state(task) in states, seconds, what=f"{states} of {task}")

    def _before(self, words: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
        at = words.index("--")
        return self.call(*words[:at], "--json", *words[at:])


@contextmanager
def diamond_up(diamond: Diamond, *, port: int = 0) -> Iterator[subprocess.Popen[str]]:
    """`diamond up`, ended like Ctrl-C does."""
    process = diamond.start("up", "--port", str(port or free_port()))
    try:
        assert process.stdout
        first = process.stdout.readline()
        assert "Diamond is up at" in first, f"{first}{process.stderr and process.stderr.read()}"
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
