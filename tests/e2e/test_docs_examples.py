"""Every `console` block of the README, the tutorial and the recipes is typed into a shell, in order, on a Diamond of its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from diamond.testing.waiting import wait_until

ROOT = Path(__file__).parents[2]
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
EXPECTED_CODE = re.compile(r"^\[exits with (\d+)\]$")


@dataclass(frozen=True)
class Shell:
    """A person's terminal, in a folder that holds the recipes."""

    folder: Path
    environ: dict[str, str]

    def type(self, line: str, *, expected: int = 0) -> str:
        text = line.replace("TASK", self.newest_task()) if "TASK" in line else line
        done = subprocess.run(
            ["bash", "-euc", text],
            cwd=self.folder,
            env=self.environ,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == expected, f"$ {text}\n{done.stdout}{done.stderr}"
        return done.stdout

    def newest_task(self) -> str:
        return str(json.loads(self.type("diamond tasks --limit 1 --json"))["items"][0]["id"])


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    folder = tmp_path_factory.mktemp("clone")
    shutil.copytree(ROOT / "recipes", folder / "recipes")
    shell = Shell(folder, _environ(folder))
    log = (folder / "up.log").open("wb")
    words = ["diamond", "up", "--port", str(_free_port())]
    up = subprocess.Popen(words, cwd=folder, env=shell.environ, stdout=log, stderr=log)
    try:
        wait_until(lambda: _is_online(shell), seconds=60, what="the endpoint `local` online")
        yield shell
    finally:
        up.terminate()
        up.wait(30)


def _environ(folder: Path) -> dict[str, str]:
    """`diamond` is the one under test, whether it is installed or not."""
    program = folder / ".venv" / "bin" / "diamond"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m diamond.cli "$@"\n')
    program.chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DIAMOND_")}
    return {
        **kept,
        "DIAMOND_HOME": str(folder / "home"),
        "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "NO_COLOR": "1",
    }


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _is_online(shell: Shell) -> bool:
    done = subprocess.run(
        ["diamond", "endpoint", "list", "--json"],
        env=shell.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        return False
    return any(one["state"] == "online" for one in json.loads(done.stdout)["items"])


def steps(page: Path) -> Iterator[tuple[str, int]]:
    """Each command with the exit code that the page promises; lines without `$ ` go on with the last one."""
    for block in CONSOLE.findall(page.read_text()):
        typed: list[tuple[str, int]] = []
        for line in block.splitlines():
            code = EXPECTED_CODE.match(line)
            if line.startswith("$ "):
                typed.append((line[2:], 0))
            elif code:
                typed[-1] = (typed[-1][0], int(code.group(1)))
            else:
                typed[-1] = (f"{typed[-1][0]}\n{line}", 0)
        yield from typed


PAGES = [
    "README.md",
    "docs/tutorial.md",
    "recipes/plain-script/README.md",
    pytest.param("recipes/digits/README.md", marks=[pytest.mark.slow, pytest.mark.timeout(900)]),
]


@pytest.mark.parametrize("name", PAGES)
def test_what_the_page_says_works_as_typed(name: str, shell: Shell) -> None:
    typed = list(steps(ROOT / name))
    assert typed
    for line, expected in typed:
        shell.type(line, expected=expected)


def test_the_counting_example_took_three_attempts(shell: Shell) -> None:
    for line, expected in steps(ROOT / "docs" / "tutorial.md"):
        if "counting" in line:
            shell.type(line, expected=expected)
    counting = json.loads(shell.type("diamond show TASK --json"))
    assert [one["number"] for one in counting["attempts"]] == [1, 2, 3]
