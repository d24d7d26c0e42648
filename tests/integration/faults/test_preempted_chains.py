"""Chains whose nodes the site takes for other work, by each way that Slurm has, on one node and on two."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from support.stack import Stack
from support.waiting import wait_for

TRAIN = """\
mkdir -p ckpt
n=0
[ -z "$DIAMOND_RESUME_FROM" ] || n=${DIAMOND_RESUME_FROM##*/}
until [ -e enough ]; do
  n=$((n + 1))
  echo $n >ckpt/.new; mv ckpt/.new ckpt/$n
  sleep 0.2
done
"""
RANKS = """\
[ "$RANK" != 0 ] || mkdir -p ckpt
echo "$RANK $DIAMOND_RESUME_FROM" >>ranks
until [ -e enough ]; do
  if [ "$RANK" = 0 ]; then echo >"ckpt/$(date +%s%N)"; fi
  sleep 0.2
done
"""
WHOLE = {"walltime": "5m", "memory": "100MB", "cpus_per_task": 8}
CHAIN = {"on": ["exit-75", "preempted"], "from": "ckpt/*"}


@pytest.fixture
def scavenge(stack: Stack) -> Iterator[Stack]:
    """Its partition takes back what was changed in it, and nobody else's job stays."""
    yield stack
    stack.slurm("scontrol", "update", "partition=scavenge", "PreemptMode=REQUEUE")
    stack.slurm("scancel", "--quiet", "--name=other-work", check=False)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["CANCEL", "REQUEUE"])
def test_a_preempted_attempt_leads_to_the_next_one(scavenge: Stack, mode: str) -> None:
    """Jobs of ours may not be requeued: Slurm cancels them in both cases, and Diamond decides."""
    stack = scavenge
    stack.slurm("scontrol", "update", "partition=scavenge", f"PreemptMode={mode}")
    task = submit(stack, TRAIN, WHOLE)
    first = running_and_saved(stack, task)
    take_all_nodes(stack)
    wait_for(lambda: stack.task(task)["attempt"] != first, seconds=90, what="the next attempt")
    give_nodes_back(stack)
    wait_for(lambda: stack.executions(task) == 2, seconds=90, what="its program")
    (stack.run_dir(task) / "enough").touch()
    ended = stack.until(task, "succeeded")
    assert [one["reason"] for one in ended["attempts"]] == ["preempted", ""]


@pytest.mark.slow
def test_a_preempted_job_that_the_site_requeues_goes_on_as_a_second_run(scavenge: Stack) -> None:
    stack = scavenge
    task = submit(stack, TRAIN, WHOLE)
    first = running_and_saved(stack, task)
    stack.slurm("scontrol", "update", f"jobid={stack.native_id(task)}", "requeue=1")
    take_all_nodes(stack)
    wait_for(lambda: stack.task(task)["state"] == "pending", what="its place in the queue")
    give_nodes_back(stack)
    wait_for(lambda: stack.executions(task) == 2, seconds=120, what="the second run")
    (stack.run_dir(task) / "enough").touch()
    ended = stack.until(task, "succeeded")
    assert (ended["attempt"], len(ended["attempts"])) == (first, 1)
    assert [run["run"] for run in ended["attempts"][0]["runs"]] == [1, 2]


@pytest.mark.slow
def test_a_chain_over_two_nodes_goes_on_with_all_its_ranks(scavenge: Stack) -> None:
    stack = scavenge
    task = submit(stack, RANKS, {**WHOLE, "nodes": 2}, launch="per-rank")
    first = running_and_saved(stack, task)
    stack.cluster.break_node(last_node(stack, task), "fail")
    try:
        wait_for(lambda: stack.task(task)["attempt"] != first, seconds=90, what="the next attempt")
        wait_for(lambda: len(ranks(stack, task)) == 4, seconds=90, what="two ranks, twice")
    finally:
        for number in range(1, 5):
            stack.cluster.break_node(f"{stack.cluster.name}-n{number}", "start")
    (stack.run_dir(task) / "enough").touch()
    ended = stack.until(task, "succeeded")
    assert [one["reason"] for one in ended["attempts"]] == ["node-lost", ""]
    assert sorted(line.split()[0] for line in ranks(stack, task)) == ["0", "0", "1", "1"]
    assert sum("ckpt/" in line for line in ranks(stack, task)) == 2


def submit(stack: Stack, program: str, resources: dict[str, Any], **more: Any) -> str:
    on = f"{stack.name}/scavenge"
    chain = {**CHAIN, "on": [*CHAIN["on"], "node-lost"]}
    return stack.submit(program, on=on, resources=resources, **{"continue": chain}, **more)


def running_and_saved(stack: Stack, task: str) -> str:
    stack.until(task, "running")
    wait_for(lambda: list(stack.run_dir(task).glob("ckpt/[0-9]*")), what="a checkpoint")
    return str(stack.task(task)["attempt"])


def take_all_nodes(stack: Stack) -> None:
    words = ["--job-name=other-work", "--partition=batch", "--nodes=4", "--exclusive"]
    stack.slurm("sbatch", *words, "--output=/dev/null", "--wrap", "sleep 600")


def give_nodes_back(stack: Stack) -> None:
    stack.slurm("scancel", "--name=other-work")


def last_node(stack: Stack, task: str) -> str:
    nodes = stack.slurm("squeue", "-h", "-j", stack.native_id(task), "-o", "%N")
    return stack.slurm("scontrol", "show", "hostnames", nodes).split()[-1]


def ranks(stack: Stack, task: str) -> list[str]:
    try:
        return (stack.run_dir(task) / "ranks").read_text().splitlines()
    except FileNotFoundError:
        return []
