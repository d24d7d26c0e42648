"""Real virtual environments from a wheel folder of our own; no network is used."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from diamond.core.errors import Cancelled, EnvironmentFailed
from diamond.core.order import Environment
from diamond.runtimes.base import Entered
from diamond.runtimes.lock import hold_lock
from diamond.runtimes.venv import Build, build_with_pip, ensure_environment, environment_digest
from support.wheels import write_wheel

NAME = "diamond_test_greeting"
GREETING = "diamond_test_greeting 1.0"


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A site whose pip knows nothing but one wheel folder."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    write_wheel(folder, NAME, "1.0")
    for name in [name for name in os.environ if name.startswith(("PIP_", "UV_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "true")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def ensure(
    folder: Path, *requirements: str, say: Callable[[str], None] = lambda line: None
) -> Entered:
    environment = Environment(requirements=list(requirements))
    return ensure_environment(environment, folder=folder, say=say, cancelled=lambda: False)


def says(entered: Entered, module: str) -> str:
    python = str(Path(entered.path[0]) / "python")
    return subprocess.check_output([python, "-c", f"import {module}"], text=True).strip()


def test_a_program_finds_what_the_list_names(tmp_path: Path, wheels: Path) -> None:
    entered = ensure(tmp_path / "work", f"{NAME}==1.0")
    assert says(entered, NAME) == GREETING
    assert entered.exported["VIRTUAL_ENV"] == str(Path(entered.path[0]).parent)


def test_the_second_time_nothing_is_built(tmp_path: Path, wheels: Path) -> None:
    said: list[str] = []
    ensure(tmp_path / "work", NAME)
    ensure(tmp_path / "work", NAME, say=said.append)
    assert said == []


def test_an_empty_recipe_builds_nothing_and_leaves_its_variables_to_the_start_of_the_program(
    tmp_path: Path,
) -> None:
    environment = Environment(variables={"OMP_NUM_THREADS": "2"})
    entered = ensure_environment(environment, folder=tmp_path, say=print, cancelled=lambda: False)
    assert entered == Entered()
    assert list(tmp_path.iterdir()) == []


def test_two_at_once_build_one(tmp_path: Path, wheels: Path) -> None:
    said: list[str] = []
    threads = [
        threading.Thread(
            target=ensure,
            args=(tmp_path / "work", NAME),
            kwargs={"say": said.append},
        )
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum("installed 1 package" in line for line in said) == 1


def test_a_build_that_was_killed_is_begun_anew(tmp_path: Path, wheels: Path) -> None:
    environment = Environment(requirements=[NAME])
    half = tmp_path / "work" / "environments" / environment_digest(environment)
    (half / "venv" / "bin").mkdir(parents=True)
    (half / "venv" / "bin" / "python").symlink_to(sys.executable)
    assert says(ensure(tmp_path / "work", NAME), NAME) == GREETING


def test_an_environment_whose_python_has_gone_is_made_again(tmp_path: Path, wheels: Path) -> None:
    python = Path(ensure(tmp_path / "work", NAME).path[0]) / "python"
    python.unlink()
    python.symlink_to(tmp_path / "removed-by-the-site")
    assert says(ensure(tmp_path / "work", NAME), NAME) == GREETING


def test_an_unknown_package_is_named_with_the_installers_words(
    tmp_path: Path, wheels: Path
) -> None:
    with pytest.raises(EnvironmentFailed) as caught:
        ensure(tmp_path / "work", "no-such-package")
    assert "no-such-package" in caught.value.message
    assert "requirements:" in caught.value.hint
    logs = list((tmp_path / "work" / "environments").glob("*/build.log"))
    assert "no-such-package" in logs[0].read_text()
    assert not list((tmp_path / "work" / "environments").glob("*/complete"))


def test_a_cancel_ends_the_installer_and_leaves_nothing_usable(
    tmp_path: Path, wheels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "uv"
    slow.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\nexec sleep 600\n")
    slow.chmod(0o755)
    monkeypatch.setenv("DIAMOND_UV", str(slow))
    pid_file = tmp_path / "pid"
    with pytest.raises(Cancelled):
        ensure_environment(
            Environment(requirements=[NAME]),
            folder=tmp_path / "work",
            say=print,
            cancelled=lambda: pid_file.exists() and bool(pid_file.read_text()),
        )
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), 0)
    assert not list((tmp_path / "work" / "environments").glob("*/complete"))


def test_a_person_may_call_off_waiting_for_anothers_build(tmp_path: Path) -> None:
    lock, told = tmp_path / "lock", []
    deadline = time.monotonic() + 1
    with (
        hold_lock(lock, waiting=print, cancelled=lambda: False),
        pytest.raises(Cancelled),
        hold_lock(
            lock, waiting=lambda: told.append(1), cancelled=lambda: time.monotonic() > deadline
        ),
    ):
        pass
    assert told == [1]


@pytest.mark.slow
def test_pip_alone_does_it_where_uv_cannot_be_had(tmp_path: Path, wheels: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "requirements.txt").write_text(NAME)
    said: list[str] = []
    with hold_lock(tmp_path / "lock", waiting=print, cancelled=lambda: False) as lock:
        environment = Environment(requirements=[NAME])
        build = Build(environment, home, tmp_path, said.append, lambda: False, lock)
        build_with_pip(build)
    assert says(Entered(path=[str(home / "venv" / "bin")]), NAME) == GREETING
