"""Which cores each rank of a node gets, on machines that were made up."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from diamond.launchers.ranks.cpu_binding import CpuPlace, bind_rank, cpu_list, read_places, share


def machine(nodes: int, cores: int, threads: int = 1) -> dict[int, CpuPlace]:
    """As Linux numbers CPUs: first one thread of every core, then the other."""
    total = nodes * cores
    return {t * total + c: CpuPlace(c // cores, c) for t in range(threads) for c in range(total)}


def shares(places: dict[int, CpuPlace], ranks: int, cpus: int) -> list[list[int]]:
    return [share(places, rank, ranks, cpus) for rank in range(ranks)]


def test_each_rank_has_its_own_share_of_a_plain_machine() -> None:
    assert shares(machine(1, 4), 2, 2) == [[0, 1], [2, 3]]
    assert shares(machine(1, 2), 2, 1) == [[0], [1]]


def test_threads_of_a_core_stay_together() -> None:
    assert shares(machine(1, 4, threads=2), 2, 4) == [[0, 4, 1, 5], [2, 6, 3, 7]]


def test_cores_are_split_only_where_there_are_too_few() -> None:
    assert shares(machine(1, 2, threads=2), 4, 1) == [[0], [2], [1], [3]]


def test_no_rank_lies_in_two_numa_nodes() -> None:
    places = machine(2, 8)
    for ranks in (2, 3, 4, 8):
        for mine in shares(places, ranks, 2):
            assert len({places[cpu].node for cpu in mine}) == 1, (ranks, mine)


def test_the_first_ranks_have_the_first_numa_node() -> None:
    """As the first GPUs mostly do."""
    assert shares(machine(2, 4), 4, 2) == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert [len(mine) for mine in shares(machine(2, 8), 3, 4)] == [4, 4, 8]


def test_a_rank_that_fits_into_no_numa_node_lies_in_two() -> None:
    assert shares(machine(2, 3), 2, 3) == [[0, 1, 2], [3, 4, 5]]
    assert shares(machine(4, 2), 2, 4) == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_nodes_of_which_a_job_has_unequal_parts_are_shared_by_what_they_have() -> None:
    places = {cpu: place for cpu, place in machine(2, 8).items() if cpu not in (0, 1, 2, 3)}
    found = shares(places, 3, 4)
    assert found == [[4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15]]


def test_what_is_left_over_is_given_out_too() -> None:
    assert shares(machine(1, 8), 2, 2) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert [len(mine) for mine in shares(machine(1, 7), 3, 2)] == [2, 2, 3]


@pytest.mark.parametrize(
    ("nodes", "cores", "threads"), [(1, 8, 1), (2, 5, 2), (4, 7, 2), (3, 6, 4)]
)
def test_shares_never_overlap_and_are_never_too_small(nodes: int, cores: int, threads: int) -> None:
    places = machine(nodes, cores, threads)
    for ranks in range(2, len(places) + 1):
        cpus = len(places) // ranks
        found = shares(places, ranks, cpus)
        together = [cpu for mine in found for cpu in mine]
        assert len(together) == len(set(together))
        assert all(len(mine) >= cpus for mine in found), (ranks, found)


def test_too_few_cpus_bind_nobody() -> None:
    assert shares(machine(1, 4), 3, 2) == [[], [], []]


def test_the_kernel_is_read_as_it_writes(tmp_path: Path) -> None:
    (tmp_path / "node/node1").mkdir(parents=True)
    (tmp_path / "node/node1/cpulist").write_text("1,3\n")
    (tmp_path / "cpu/cpu3/topology").mkdir(parents=True)
    (tmp_path / "cpu/cpu3/topology/thread_siblings_list").write_text("1,3\n")
    found = read_places([1, 2, 3], tmp_path)
    assert found == {1: CpuPlace(1, 1), 2: CpuPlace(0, 2), 3: CpuPlace(1, 1)}
    assert cpu_list("0-2,8\n") == [0, 1, 2, 8]
    assert cpu_list("\n") == []


def test_a_process_is_left_as_it_is_where_its_cpus_may_be_those_of_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """More than the batch system gave, or fewer than the ranks need, or somebody has bound it, or it is alone."""
    bound: list[list[int]] = []
    of = {0: {0, 1, 2, 3}, os.getppid(): {0, 1, 2, 3}}
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(of[pid]))
    monkeypatch.setattr(os, "sched_setaffinity", lambda pid, cpus: bound.append(list(cpus)))
    asked = {"DIAMOND_BIND_CPUS": "2"}
    assert bind_rank(1, 2, {}) == []
    assert bind_rank(0, 1, asked) == []
    assert bind_rank(1, 2, {"DIAMOND_BIND_CPUS": "1"}) == [], "another job may have the rest"
    assert bind_rank(1, 2, {"DIAMOND_BIND_CPUS": "1", "SLURM_CPUS_ON_NODE": "2"}) == []
    assert bind_rank(1, 3, {**asked, "SLURM_CPUS_ON_NODE": "6"}) == []
    of[os.getppid()] = {0, 1, 2, 3, 4, 5, 6, 7}
    assert bind_rank(1, 2, {**asked, "SLURM_CPUS_ON_NODE": "4"}) == []
    assert bound == []
    of[os.getppid()] = of[0]
    assert bind_rank(1, 2, {**asked, "SLURM_CPUS_ON_NODE": "4"}) == [2, 3]
    assert bound == [[2, 3]]
