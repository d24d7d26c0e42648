from __future__ import annotations

from pathlib import Path

import pytest

from diamond.schedulers import login_environment
from diamond.schedulers.login_environment import LoginEnvironment, read_login_environment
from diamond.schedulers.slurm_calls import job_environment


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(login_environment, "_shell", lambda: "/bin/bash")
    return tmp_path


def log_in_with(home: Path, *lines: str) -> None:
    (home / ".bash_profile").write_text("\n".join(lines))


def test_what_a_profile_sets_is_read_whatever_it_prints(home: Path) -> None:
    log_in_with(home, "echo Welcome to the cluster", "export SITE=$'a\\nb=c'")
    assert read_login_environment()["SITE"] == "a\nb=c"


def test_the_agents_own_variables_are_not_mixed_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OF_THE_AGENT", "1")
    found = read_login_environment()
    assert "OF_THE_AGENT" not in found
    assert "PWD" not in found


def test_a_login_that_fails_leaves_the_agents_own(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log_in_with(home, "exit 3")
    monkeypatch.setenv("OF_THE_AGENT", "1")
    assert LoginEnvironment().get()["OF_THE_AGENT"] == "1"


def test_a_login_that_hangs_is_given_up(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log_in_with(home, "sleep 60")
    monkeypatch.setattr(login_environment, "LOGIN_SECONDS", 0.3)
    assert read_login_environment() == {}


def test_it_is_read_once_in_a_while(home: Path) -> None:
    environment = LoginEnvironment()
    log_in_with(home, "export TURN=1")
    environment.get()
    log_in_with(home, "export TURN=2")
    assert environment.get()["TURN"] == "1"


def test_a_job_gets_the_login_and_the_way_to_the_cluster() -> None:
    login = {"PATH": "/opt/bin", "SBATCH_ACCOUNT": "x", "SLURM_CONF": "/old"}
    handed = job_environment(login, {"SLURM_CONF": "/etc/slurm.conf", "SLURM_JOB_ID": "7"})
    assert handed == {"PATH": "/opt/bin", "SLURM_CONF": "/etc/slurm.conf"}
