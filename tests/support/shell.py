"""A terminal with its own Diamond, and a page's examples to type into it."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from diamond.testing.wait import wait_until
from support.waiting import PATIENCE

ROOT = Path(__file__).parents[2]
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
EXPECTED_CODE = re.compile(r"^\[exits with (\d+)\]$")


@dataclass(frozen=True)
class Shell:
    """A user's terminal, in a folder that contains the recipes."""

    folder: Path
    environ: dict[str, str]

    def type(self, line: str, *, expected: int = 0) -> str:
        """Run one line; `TASK` stands for the newest task, and prompts are answered with a word."""
        text = line.replace("TASK", self.newest_task()) if "TASK" in line else line
        done = subprocess.run(
            ["bash", "-euc", text],
            cwd=self.folder,
            env=self.environ,
            input="hush\n",
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == expected, f"$ {text}\n{done.stdout}{done.stderr}"
        return done.stdout

    def newest_task(self) -> str:
        return str(json.loads(self.type("diamond tasks --limit 1 --json"))["items"][0]["id"])

    def add_program(self, name: str, text: str) -> None:
        """Put a program first on PATH."""
        program = self.folder / ".venv" / "bin" / name
        program.write_text(text)
        program.chmod(0o755)


@contextmanager
def diamond_up(folder: Path) -> Iterator[Shell]:
    """A terminal with a running `diamond up` whose endpoint `local` is online."""
    shutil.copytree(ROOT / "recipes", folder / "recipes")
    (folder / ".venv" / "bin").mkdir(parents=True)
    shell = Shell(folder, _environ(folder))
    shell.add_program("diamond", f'#!/bin/sh\nexec "{sys.executable}" -m diamond.cli "$@"\n')
    words = ["diamond", "up", "--port", str(_free_port())]
    with (folder / "up.log").open("wb") as log:
        up = subprocess.Popen(words, cwd=folder, env=shell.environ, stdout=log, stderr=log)
        try:
            wait_until(lambda: _is_online(shell), seconds=60, what="the endpoint `local` online")
            yield shell
        finally:
            up.terminate()
            up.wait(PATIENCE)


def examples(page: str) -> list[tuple[str, int]]:
    """Each command of a page with its expected exit code; lines without `$ ` continue the last one."""
    typed: list[tuple[str, int]] = []
    for block in CONSOLE.findall((ROOT / page).read_text()):
        for line in block.splitlines():
            code = EXPECTED_CODE.match(line)
            if line.startswith("$ "):
                typed.append((line[2:], 0))
            elif code:
                typed[-1] = (typed[-1][0], int(code.group(1)))
            else:
                typed[-1] = (f"{typed[-1][0]}\n{line}", 0)
    return typed


def _environ(folder: Path) -> dict[str, str]:
    """`diamond` is the version under test, whether it is installed or not."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DIAMOND_")}
    return {
        **kept,
        "DIAMOND_HOME": str(folder / "home"),
        "PATH": f"{folder / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "NO_COLOR": "1",
    }


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _is_online(shell: Shell) -> bool:
    words = ["diamond", "endpoint", "list", "--json"]
    done = subprocess.run(words, env=shell.environ, capture_output=True, text=True, check=False)
    if done.returncode:
        return False
    return any(one["state"] == "online" for one in json.loads(done.stdout)["items"])
