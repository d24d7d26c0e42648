"""How MPI is told to start ranks, by whose `mpirun` it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from diamond.launchers.starters.plan import LaunchPlan
from diamond.launchers.starters.registry import choose_starter, starting_command

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
