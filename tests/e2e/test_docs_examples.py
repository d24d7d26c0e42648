"""Every `console` block of the pages for beginners is typed into a shell, in order, as it stands."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from diamond.testing.lab import Lab
from diamond.testing.wait import wait_until
from support.shell import ROOT, Shell, diamond_up, examples

PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGES = [
    "README.md",
    "docs/tutorial.md",
    "docs/scale.md",
    "docs/studies.md",
    "docs/pipelines.md",
    pytest.param("docs/pilots.md", marks=pytest.mark.slow),
    "docs/frames.md",
    "docs/images.md",
    "docs/data.md",
    "docs/compare.md",
    "docs/reproduce.md",
    "docs/records.md",
    "docs/models.md",
    "recipes/plain-script/README.md",
    pytest.param("recipes/digits/README.md", marks=[pytest.mark.slow, pytest.mark.timeout(900)]),
    *(
        pytest.param(f"docs/{name}.md", marks=pytest.mark.slow)
        for name in ("projects", "sharing", "limits", "courses", "signed-specs")
    ),
]


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    with diamond_up(tmp_path_factory.mktemp("clone")) as made:
        yield made


@pytest.mark.parametrize("page", PAGES)
def test_what_the_page_says_works_as_typed(page: str, shell: Shell) -> None:
    typed = examples(page)
    assert typed
    for line, expected in typed:
        shell.type(line, expected=expected)


def test_the_counting_example_takes_three_attempts(shell: Shell) -> None:
    for line, expected in examples("docs/tutorial.md"):
        if "counting" in line:
            shell.type(line, expected=expected)
    counting = json.loads(shell.type("diamond show TASK --json"))
    assert [one["number"] for one in counting["attempts"]] == [1, 2, 3]


def test_the_sdk_does_what_its_page_says(shell: Shell) -> None:
    sdk = (ROOT / "docs" / "python.md").read_text().split("## Inside a job")[0]
    script = "\n".join(PYTHON.findall(sdk)) + "\nimport asyncio\nasyncio.run(train())\n"
    (shell.folder / "example.py").write_text(script)
    said = shell.type(f"'{sys.executable}' example.py")
    assert said.startswith("succeeded 0\n")
    assert said.endswith("hello\n")
    assert (shell.folder / "results" / "result.json").is_file()


def test_pipelines_from_python_do_what_their_page_says(shell: Shell) -> None:
    first, module, second = PYTHON.findall((ROOT / "docs" / "pipelines.md").read_text())
    folder = shell.folder / "functions"
    folder.mkdir()
    (folder / "stages.py").write_text(module)
    (folder / "example.py").write_text(first + second)
    said = shell.type(f"cd functions && '{sys.executable}' example.py")
    assert said.splitlines() == ["succeeded", "15.0"]


@pytest.mark.slow
def test_a_backup_comes_back_as_the_page_says(tmp_path: Path) -> None:
    """With what the agent reports of the job that was not in it."""
    with diamond_up(tmp_path) as own:
        for line, expected in examples("docs/backup.md"):
            own.type(line, expected=expected)
            if "run" in line:
                forgotten = own.newest_task()
        wait_until(lambda: _knows(own, forgotten), seconds=60, what="the task, reported again")
        own.type("diamond run --wait -- true")
    assert (tmp_path / "home" / "diamond.db.before").is_file()


def _knows(shell: Shell, task: str) -> bool:
    with suppress(AssertionError):
        return f'"{task}"' in shell.type("diamond tasks --json")
    return False


@pytest.mark.slow
def test_a_cluster_is_added_as_the_page_says(shell: Shell, slurm_lab: Lab) -> None:
    config = shell.folder / "ssh_config"
    config.write_text(slurm_lab.ssh_config.read_text().replace("Host alpha\n", "Host myhost\n", 1))
    shell.add_program("ssh", f'#!/bin/sh\nexec /usr/bin/ssh -F "{config}" "$@"\n')
    for line, expected in examples("docs/add-a-cluster.md"):
        shell.type(line, expected=expected)
    runs = json.loads(shell.type("diamond tasks --on mycluster --json"))["items"]
    assert [one["state"] for one in runs] == ["succeeded"]
    assert "HF_TOKEN" in shell.type("diamond secret list --on mycluster")
    shell.type("diamond endpoint remove mycluster")
