"""While a machine is away, what is said of it is said to be old, and what is asked of it waits."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from diamond.sdk import Client
from support.diamond import Diamond, diamond_up
from support.waiting import PATIENCE, wait_for


@pytest.fixture(scope="module")
def diamond(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Diamond]:
    top = tmp_path_factory.mktemp("away")
    (top / "empty").mkdir()
    made = Diamond(top / "home", top / "empty")
    with diamond_up(made):
        yield made


@contextmanager
def away(diamond: Diamond) -> Iterator[None]:
    """The agent of this machine stops answering, and its bridge says so."""
    pid = int((diamond.home / "agents/local/agent.pid").read_text().split()[0])
    os.kill(pid, signal.SIGSTOP)
    try:
        saved = json.loads((diamond.home / "token.json").read_text())
        Client(saved["url"], saved["token"]).endpoint_away("local")
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def test_a_task_of_a_machine_that_is_away_is_shown_as_it_was(diamond: Diamond) -> None:
    task = diamond.submit("sleep", "600")
    diamond.wait_for_state(task, "running")
    following = diamond.start("logs", "-f", task)
    with away(diamond):
        shown = diamond.call("show", task).stdout
        listed = diamond.call("tasks")
        ended = diamond.call("cancel", task)
        after = diamond.call("show", task).stdout
    _, heard = following.communicate(timeout=PATIENCE)
    assert "local is offline" in shown and "diamond endpoint start local" in shown
    assert "local is offline" in listed.stderr and "local is offline" not in listed.stdout
    assert "being cancelled" in ended.stdout and "takes effect once it is back" in ended.stderr
    assert "running, being cancelled" in after
    assert "local is offline" in heard and "local is back" in heard and "cancelled" in heard
    diamond.wait_for_state(task, "cancelled")


def test_a_run_that_is_not_there_is_answered_with_those_that_are(diamond: Diamond) -> None:
    task = diamond.submit("sh", "-c", "exit 75")
    wait_for(lambda: diamond.ask("show", task, "--json")["phase"] == "asking", what="question")
    done = diamond.call("logs", task, "--run", "9")
    assert done.returncode == 1 and "Runs: 1" in done.stderr
    assert "Attempts: 1, 2, 3, 4" in diamond.call("logs", task, "--attempt", "9").stderr
    assert "attempts 1 to 3" in diamond.call("logs", task).stderr
    shown = diamond.call("show", task).stdout
    assert shown.count("asked to be continued") == 4 and "batch" not in shown
    diamond.call("cancel", task)


def test_a_correction_is_checked_by_the_service(diamond: Diamond, tmp_path: Path) -> None:
    for setting, words in (("cores=eight", "a number"), ("coers=8", "Did you mean cores?")):
        done = diamond.call("endpoint", "set", "local", setting)
        assert done.returncode == 1 and words in done.stderr
    file = tmp_path / "site.json"
    told = diamond.call("endpoint", "export", "local", str(file))
    assert str(file) in told.stderr
    file.write_text(file.read_text().replace('"value": {}', '"value": 7', 1))
    done = diamond.call("endpoint", "import", "local", str(file))
    assert done.returncode == 1 and "Invalid value for" in done.stderr


def test_a_secret_for_no_endpoint_is_refused_before_its_value_is_read(diamond: Diamond) -> None:
    done = diamond.call("secret", "set", "KEY", "--on", "nope")
    assert done.returncode == 1 and "no endpoint 'nope'" in done.stderr


@pytest.mark.slow
def test_files_of_a_task_that_was_cleaned_are_not_advised(diamond: Diamond) -> None:
    task = diamond.submit("true")
    diamond.wait_for_state(task, "succeeded")
    folder = Path(diamond.ask("show", task)["run_dir"])
    assert diamond.call("clean", task, "--yes").returncode == 0
    wait_for(lambda: not folder.exists(), what="removed run directory")
    wait_for(lambda: "diamond files" not in diamond.call("show", task).stdout, what="no advice")
    assert "diamond clean" in diamond.call("files", task).stderr
