"""A chain at the command line: it asks, is shown with its budget, and goes on when it is told to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.diamond import Diamond, diamond_up
from support.waiting import wait_for

SPEC = """\
name: long
run: |
  n=$(($(cat steps 2>/dev/null || echo 0) + 1)); echo $n >steps
  mkdir -p ckpt; touch ckpt/$n
  [ $n -ge 6 ] || exit 75
on: local
resources: {walltime: 10m}
continue: {on: [exit-75], from: 'ckpt/*'}
"""


@pytest.fixture(scope="module")
def diamond(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Diamond]:
    top = tmp_path_factory.mktemp("chain")
    (top / "empty").mkdir()
    made = Diamond(top / "home", top / "empty")
    with diamond_up(made):
        yield made


def submit(diamond: Diamond, folder: Path, spec: str) -> str:
    file = folder / "diamond.yaml"
    file.write_text(spec)
    return str(diamond.ask("run", str(file), "--json")["tasks"][0]["id"])


@pytest.mark.slow
def test_a_chain_asks_is_shown_and_goes_on(diamond: Diamond, tmp_path: Path) -> None:
    task = submit(diamond, tmp_path, SPEC)
    wait_for(lambda: diamond.ask("show", task, "--json")["phase"] == "asking", what="question")
    shown = diamond.call("show", task).stdout
    assert (
        "waiting for you to allow more attempts" in shown and f"diamond resume {task[:8]}" in shown
    )
    assert shown.count("after a gap of") == 3 and "checkpoint ckpt/4" in shown
    assert "asks you after 4 attempts" in shown
    assert "continues on" in diamond.call("resume", task, "--budget", "9 node-hours").stdout
    diamond.wait_for_state(task, "succeeded")
    assert "of 9 node-hours" in diamond.call("show", task).stdout


@pytest.mark.slow
def test_a_chain_that_has_ended_goes_on_as_a_new_task_in_the_same_folder(
    diamond: Diamond, tmp_path: Path
) -> None:
    task = submit(diamond, tmp_path, SPEC.replace("from:", "max_attempts: 2, from:"))
    diamond.wait_for_state(task, "failed")
    assert "diamond resume" in diamond.call("show", task).stdout
    done = diamond.call("resume", task, "--attempts", "9")
    assert "continues as task" in done.stdout, done.stderr
    again = diamond.call("resume", task)
    assert again.returncode == 1 and "already continues" in again.stderr
    new = done.stdout.split("continues as task ")[1].split()[0]
    diamond.wait_for_state(new, "succeeded", "failed")
    assert f"continues where task {task} stopped" in diamond.call("show", new).stdout
    assert "ckpt" in diamond.call("files", task).stdout
