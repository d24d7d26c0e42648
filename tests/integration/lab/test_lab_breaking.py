"""Nodes that fail, crash and hang; controllers that go away."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from diamond.testing.lab import Cluster, Lab, LabError
from diamond.testing.lab.processes import wait_until
from support.waiting import PATIENCE


@pytest.fixture(autouse=True)
def mended(open_lab: Lab) -> Iterator[None]:
    yield
    for cluster in open_lab.clusters:
        cluster.run(["scancel", "-u", "alice"])
    Lab.up(open_lab.root)


def submit(cluster: Cluster, *options: str) -> str:
    words = ["sbatch", "--parsable", "-o", "/dev/null", *options, "--wrap", "sleep 300"]
    return cluster.run(words, user="alice").stdout.strip()


def state(cluster: Cluster, job: str) -> str:
    return cluster.run(["squeue", "-h", "-t", "all", "-j", job, "-o", "%T"]).stdout.strip()


def wait_for(cluster: Cluster, job: str, wanted: str, seconds: float = PATIENCE) -> None:
    reached = wait_until(lambda: state(cluster, job) == wanted, seconds, every=0.2)
    assert reached, f"job {job} is {state(cluster, job)}, not {wanted}"


def test_a_failed_node_ends_its_job_with_node_fail(alpha: Cluster) -> None:
    job = submit(alpha, "-w", "alpha-n2", "--no-requeue")
    wait_for(alpha, job, "RUNNING")
    alpha.break_node(2, "fail")
    wait_for(alpha, job, "NODE_FAIL")


def test_a_job_that_may_be_requeued_waits_for_its_next_start(alpha: Cluster) -> None:
    job = submit(alpha, "-w", "alpha-n2")
    wait_for(alpha, job, "RUNNING")
    alpha.break_node(2, "fail")
    wait_for(alpha, job, "PENDING")


def test_a_hung_node_lets_its_jobs_run_on(alpha: Cluster) -> None:
    """Slurm calls a job running while its node still starts it: a daemon that hangs then starts nothing."""
    job = submit(alpha, "-w", "alpha-n1")
    wait_for(alpha, job, "RUNNING")
    assert wait_until(lambda: sleeps(alpha), PATIENCE)
    alpha.break_node("alpha-n1", "hang")
    try:
        assert sleeps(alpha)
    finally:
        alpha.break_node("alpha-n1", "resume")
    assert state(alpha, job) == "RUNNING"


def sleeps(cluster: Cluster) -> bool:
    return "sleep 300" in cluster.run(["ps", "ax"], node=1).stdout


def test_a_stopped_controller_is_missed_and_comes_back(alpha: Cluster) -> None:
    job = submit(alpha)
    wait_for(alpha, job, "RUNNING")
    alpha.break_controller("stop")
    assert "is DOWN" in alpha.run(["scontrol", "ping"], check=False).stdout
    alpha.break_controller("start")
    assert state(alpha, job) == "RUNNING"


def test_an_unknown_node_is_answered_with_the_known_ones(alpha: Cluster) -> None:
    with pytest.raises(LabError, match="alpha-n1, alpha-n2"):
        alpha.break_node(9, "fail")


@pytest.mark.slow
def test_a_silent_crash_is_noticed_after_a_while(alpha: Cluster) -> None:
    job = submit(alpha, "-w", "alpha-n2", "--no-requeue")
    wait_for(alpha, job, "RUNNING")
    alpha.break_node(2, "crash")
    assert state(alpha, job) == "RUNNING"
    wait_for(alpha, job, "NODE_FAIL")
