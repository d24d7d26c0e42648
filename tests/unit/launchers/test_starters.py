"""How the ranks of a run are started, signalled and ended, by each starter."""

from __future__ import annotations

import signal
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from diamond.launchers.starters.base import Starter
from diamond.launchers.starters.fork import Fork
from diamond.launchers.starters.mpirun import Mpirun
from diamond.launchers.starters.plan import LaunchPlan
from diamond.launchers.starters.registry import choose_starter, starting_command
from diamond.launchers.starters.srun import Srun
from support.waiting import wait_for

PLAN = LaunchPlan(
    "mpi", nodes=2, ranks_per_node=4, cpus_per_rank=8, command=["program"], mpi="mpirun"
)


def words(folder: Path, says: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Up to the shim, with an `mpirun` that says this of itself."""
    program = folder / "mpirun"
    program.write_text(f"#!/bin/sh\necho '{says}'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    found = starting_command(PLAN, choose_starter(PLAN))
    return found[: found.index("-E") - 1]


def test_open_mpi_binds_no_rank_to_a_single_core(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = words(tmp_path, "mpirun (Open MPI) 4.1.4", monkeypatch)
    assert told[:3] == ["mpirun", "-np", "8"]
    assert told[told.index("--bind-to") + 1] == "none"
    assert "ppr:4:node" in told


@pytest.mark.parametrize(
    "says", ["HYDRA build details:", "Intel(R) MPI Library for Linux* OS, Version 2021.9"]
)
def test_others_are_not_told_open_mpis_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str
) -> None:
    assert words(tmp_path, says, monkeypatch) == ["mpirun", "-np", "8", "-ppn", "4"]


def starting(plan: LaunchPlan) -> list[str]:
    return starting_command(plan, choose_starter(plan))


def test_srun_starts_one_shim_for_each_rank_with_cores_of_its_own() -> None:
    plan = LaunchPlan("per-rank", 2, 4, 8, ["program"], starter="srun")
    words = starting(plan)
    assert words[:5] == [
        "srun",
        "--nodes=2",
        "--ntasks=8",
        "--ntasks-per-node=4",
        "--cpus-per-task=8",
    ]
    assert {"--kill-on-bad-exit=1", "--mpi=none"} <= set(words)
    assert words[-2:] == ["rank", "program"]
    assert choose_starter(plan).gives_cores


@pytest.mark.parametrize(
    ("starter", "first", "number"),
    [("srun", "srun", "$SLURM_NODEID"), ("mpirun", "mpirun", "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}")],
)
def test_a_launcher_of_nodes_is_started_once_on_each_with_its_number(
    starter: str, first: str, number: str
) -> None:
    plan = LaunchPlan("torchrun", 2, 4, 8, ["program"], starter=starter, rank_python="rank.sh")
    words = starting(plan)
    assert words[0] == first
    assert f'export PET_NODE_RANK={number}; exec "$@"' in words
    assert words[-4:] == ["--no-python", "rank.sh", "--program", "program"]


def test_on_one_machine_ranks_are_forked_and_a_launcher_is_started_as_it_is() -> None:
    words = starting(LaunchPlan("per-rank", 1, 3, command=["program"]))
    assert words[words.index("fork") + 1] == "3"
    assert words[-2:] == ["rank", "program"]
    own = LaunchPlan("torchrun", 1, 3, command=["bash", "command.sh"], starts_ranks=True)
    assert starting(own) == ["bash", "command.sh"]


def test_the_site_says_how_mpi_is_started() -> None:
    plan = LaunchPlan("mpi", 2, 2, command=["program"], starter="srun", mpi="pmi2")
    assert "--mpi=pmi2" in starting(plan)
    assert starting(replace(plan, mpi="mpirun"))[0] == "mpirun"


def test_an_unknown_starter_is_answered_with_the_known_ones() -> None:
    with pytest.raises(LookupError, match="srun, mpirun"):
        choose_starter(LaunchPlan("per-rank", starter="jsrun"))


@pytest.fixture
def scancel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A command of that name that writes down its words; the file with them."""
    told = tmp_path / "told"
    program = tmp_path / "scancel"
    program.write_text(f'#!/bin/sh\necho "$@" >{told}.new; mv {told}.new {told}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    return told


@pytest.mark.parametrize("starter", [Srun(), Mpirun(Srun())], ids=["srun", "mpirun in Slurm"])
def test_the_ranks_of_a_slurm_job_are_asked_to_end_by_slurm(
    starter: Starter, scancel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    with subprocess.Popen(["sleep", "60"]) as process:
        starter.signal(process, signal.SIGTERM)
        wait_for(scancel.exists, what="a call of scancel")
        assert scancel.read_text().split() == ["--quiet", "--signal=TERM", "7"]
        assert process.poll() is None, "srun itself would take TERM for an order to kill"
        starter.signal(process, signal.SIGUSR1)
        assert process.wait(10) == -signal.SIGUSR1
    starter.signal(process, signal.SIGUSR1)


@pytest.mark.parametrize("starter", [Fork(), Mpirun()], ids=["fork", "mpirun"])
def test_other_starters_get_every_signal_themselves(starter: Starter) -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        starter.signal(process, signal.SIGTERM)
        assert process.wait(10) == -signal.SIGTERM
    starter.signal(process, signal.SIGTERM)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGQUIT])
@pytest.mark.parametrize("starter", [Srun(), Mpirun(Srun())], ids=["srun", "mpirun"])
def test_in_a_pilot_the_end_of_one_program_is_no_signal_to_all_of_its_job(
    starter: Starter, number: int, scancel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    monkeypatch.setenv("DIAMOND_PILOT_NODES", "n1,n2")
    with subprocess.Popen(["sleep", "60"]) as process:
        starter.signal(process, number)
        try:
            assert process.wait(10) == -signal.SIGTERM
        finally:
            process.kill()
    assert not scancel.exists()
