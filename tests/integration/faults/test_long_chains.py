"""Chains whose attempts are killed, lose their nodes or get another time limit, on a real cluster."""

from __future__ import annotations

import itertools
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from support.chains import queue_ahead
from support.stack import Stack
from support.waiting import wait_for

EVERY = 5
ALONE_SECONDS = 270.0
"""After so long without a sign of its predecessor, a follow-up without an agent has decided."""
TRAIN = f"""\
mkdir -p ckpt
n=0
[ -z "$DIAMOND_RESUME_FROM" ] || n=${{DIAMOND_RESUME_FROM##*/}}
echo $$ >pid
until [ -e enough ]; do
  n=$((n + 1))
  echo $n >>done
  if [ $((n % {EVERY})) -eq 0 ]; then echo $n >ckpt/.new; mv ckpt/.new ckpt/$n; fi
  if [ -e "$DIAMOND_STOP_FILE" ]; then echo $n >ckpt/.new; mv ckpt/.new ckpt/$n; exit 75; fi
  sleep 0.1
done
"""
"""Saves every few steps, and at the stop flag; says which steps it did."""


def chain(*on: str, **more: Any) -> dict[str, Any]:
    return {
        "continue": {"on": ["exit-75", *on], "from": "ckpt/*", **more},
        "budget": "9 node-hours",
    }


@pytest.mark.slow
def test_kill_9_costs_at_most_one_interval_each_time(stack: Stack) -> None:
    task = stack.submit(TRAIN, **chain("exit-code"))
    for attempt in range(1, 6):
        wait_for(lambda: saves(stack, task) >= attempt, what="a checkpoint of its own")  # noqa: B023
        wait_for(lambda: len(pids(stack, task)) == 1, what="the program")
        if attempt < 5:
            os.kill(pids(stack, task)[0], signal.SIGKILL)
            wait_for(lambda: stack.executions(task) == attempt + 1, what="the next attempt")  # noqa: B023
    (folder(stack, task) / "enough").touch()
    ended = stack.until(task, "succeeded")
    assert len(ended["attempts"]) == 5
    assert 0 <= most_repeated(stack, task) <= EVERY


DEAF = 'mkdir -p ckpt; n=$(ls ckpt | wc -l)\necho "$n" >"ckpt/$((n + 1))"\n[ "$n" -gt 0 ] || sleep 600\n'
"""It saves once, knows of no stop flag, and has done its work when it finds what it saved."""


@pytest.mark.slow
def test_a_program_killed_at_a_limit_that_its_chain_does_not_outlive_can_be_resumed(
    stack: Stack,
) -> None:
    short = {"walltime": "1m", "memory": "100MB"}
    going_on = {"on": ["exit-75", "node-lost"], "from": "ckpt/*", "ahead": False}
    task = stack.submit(DEAF, resources=short, **{"continue": going_on})
    ended = stack.until(task, "failed", seconds=150)
    assert (ended["reason"], len(ended["attempts"])) == ("wall-time", 1)
    assert "time limit" in ended["message"]
    assert (ended["chain"]["checkpoint"], ended["chain"]["may_resume"]) == ("ckpt/1", True)
    more = stack.client.post(f"/tasks/{task}/resume", {})["id"]
    stack.until(more, "succeeded")
    assert (folder(stack, more) / "ckpt/2").read_text() == "1\n"


@pytest.mark.slow
def test_a_site_that_clears_up_slowly_does_not_hide_the_time_limit(stack: Stack) -> None:
    short = {"walltime": "1m", "memory": "100MB"}
    with epilog(stack, "sleep 90"):
        task = stack.submit("sleep 600\n", resources=short, **chain("wall-time", ahead=False))
        first = stack.until(task, "running")["attempt"]
        wait_for(lambda: stack.task(task)["attempt"] != first, seconds=180, what="the next attempt")
    assert stack.task(task)["attempts"][0]["reason"] == "wall-time"
    stack.client.post(f"/tasks/{task}/cancel")
    stack.until(task, "cancelled")


@contextmanager
def epilog(stack: Stack, line: str) -> Iterator[None]:
    """What the site does on a node after each job."""
    settings = Path(stack.cluster.env()["SLURM_CONF"])
    program, before = settings.parent / "epilog.sh", settings.read_text()
    program.write_text(f"#!/bin/bash\n{line}\n")
    program.chmod(0o755)
    settings.write_text(f"{before}\nEpilog={program}\n")
    stack.slurm("scontrol", "reconfigure")
    try:
        yield
    finally:
        settings.write_text(before)
        stack.slurm("scontrol", "reconfigure")


@pytest.mark.slow
def test_the_stop_flag_follows_a_time_limit_that_was_changed(stack: Stack) -> None:
    task = stack.submit(TRAIN, resources={"walltime": "10m", "memory": "100MB"}, **chain())
    stack.until(task, "running")
    stack.slurm("scontrol", "update", f"jobid={stack.native_id(task)}", "TimeLimit=1")
    wait_for(lambda: stack.executions(task) == 2, seconds=90, what="the attempt after the flag")
    (folder(stack, task) / "enough").touch()
    ended = stack.until(task, "succeeded")
    assert ended["attempts"][0]["reason"] == "exit-code"
    assert most_repeated(stack, task) == 0


@pytest.mark.slow
def test_a_follow_up_with_nodes_is_handed_over_to_by_the_flag(stack: Stack) -> None:
    """The present attempt has a minute, its follow-up ten: it is worth it."""
    long = {"walltime": "10m", "memory": "100MB"}
    task = stack.submit(TRAIN, resources=long, **chain(lead="1s"))
    stack.until(task, "running")
    first = stack.attempt_folder(task)
    wait_for(lambda: saves(stack, task) > 0, what="a checkpoint")
    note_that_it_heeds_the_flag(first)
    stack.slurm("scontrol", "update", f"jobid={stack.native_id(task)}", "TimeLimit=2")
    wait_for((first / "limit").exists, what="word of the changed limit")
    queue_ahead(stack, task, hand_over_seconds=1)
    wait_for(lambda: stack.executions(task) == 2, what="hand-over")
    (folder(stack, task) / "enough").touch()
    ended = stack.until(task, "succeeded")
    assert "asked to save" in str(stack.told(task))
    assert ended["attempts"][1]["gap"] < 10
    assert most_repeated(stack, task) == 0


@pytest.mark.slow
def test_a_follow_up_takes_over_when_agent_and_predecessor_are_gone(stack: Stack) -> None:
    task = stack.submit(TRAIN, **chain("node-lost"))
    stack.until(task, "running")
    queue_ahead(stack, task)
    follow_up = wait_for(lambda: arrived(stack, task), what="nodes of the follow-up")
    stack.kill_agent()
    (stack.attempt_folder(task) / "stop").touch()
    wait_for(lambda: stack.executions(task) == 2, seconds=90, what="the follow-up, alone")
    stack.start_agent()
    (folder(stack, task) / "enough").touch()
    ended = stack.until(task, "succeeded")
    assert ended["attempt"] == follow_up
    assert most_repeated(stack, task) == 0


@pytest.mark.slow  # a follow-up that is alone has three minutes of patience
@pytest.mark.timeout(900)
def test_a_predecessor_that_is_suspended_is_not_taken_for_lost(stack: Stack) -> None:
    long = {"walltime": "10m", "memory": "100MB"}
    task = stack.submit(TRAIN, resources=long, **chain("node-lost"))
    stack.until(task, "running")
    first = stack.attempt_folder(task)
    queue_ahead(stack, task)
    wait_for(lambda: arrived(stack, task), what="nodes of the follow-up")
    stack.kill_agent()
    job = (first / "claim" / "owner").read_text().split()[0]
    stack.slurm("scontrol", "suspend", job)
    beat = (first / "runs" / "1" / "heartbeat").stat().st_mtime
    time.sleep(ALONE_SECONDS)
    assert (first / "runs" / "1" / "heartbeat").stat().st_mtime == beat
    assert stack.executions(task) == 1
    stack.slurm("scontrol", "resume", job)
    stack.start_agent()
    (folder(stack, task) / "enough").touch()
    stack.until(task, "succeeded")
    assert stack.executions(task) == 1


@pytest.mark.slow
def test_a_lost_node_hands_over_to_the_follow_up_that_waits(stack: Stack) -> None:
    whole = {"walltime": "5m", "memory": "100MB", "cpus_per_task": 8}
    task = stack.submit(TRAIN, resources=whole, **chain("node-lost"))
    node = stack.until(task, "running")["node"]
    wait_for(lambda: saves(stack, task) > 0, what="a checkpoint")
    queue_ahead(stack, task)
    follow_up = wait_for(lambda: arrived(stack, task), what="nodes of the follow-up")
    stack.cluster.break_node(node, "fail")
    try:
        wait_for(lambda: stack.task(task)["attempt"] == follow_up, what="the follow-up")
        wait_for(lambda: stack.executions(task) == 2, what="its program")
    finally:
        stack.cluster.break_node(node, "start")
    (folder(stack, task) / "enough").touch()
    ended = stack.until(task, "succeeded")
    assert [one["reason"] for one in ended["attempts"]] == ["node-lost", ""]


@pytest.mark.slow
def test_a_requeue_behind_our_back_never_lets_two_programs_run(stack: Stack) -> None:
    """The first attempt comes back while its follow-up waits on nodes: that one goes on waiting."""
    task = stack.submit(TRAIN, **chain("node-lost"))
    stack.until(task, "running")
    wait_for(lambda: saves(stack, task) > 0, what="a checkpoint")
    queue_ahead(stack, task)
    wait_for(lambda: arrived(stack, task), what="nodes of the follow-up")
    job = stack.native_id(task)
    stack.slurm("scontrol", "update", f"jobid={job}", "requeue=1")
    stack.slurm("scontrol", "requeue", job)
    wait_for(lambda: stack.executions(task) == 2, seconds=60, what="the second run")
    assert len(pids(stack, task)) <= 1
    seen = stack.task(task)
    (folder(stack, task) / "enough").touch()
    ended = stack.until(task, "succeeded")
    assert ended["attempt"] == seen["attempts"][0]["id"]
    assert [run["run"] for run in ended["attempts"][0]["runs"]] == [1, 2]
    assert stack.executions(task) == 2


def folder(stack: Stack, task: str) -> Path:
    return stack.work / "tasks" / task / "run"


def done(stack: Stack, task: str) -> list[int]:
    try:
        return [int(line) for line in (folder(stack, task) / "done").read_text().split()]
    except FileNotFoundError:
        return []


def saves(stack: Stack, task: str) -> int:
    return len(list((folder(stack, task) / "ckpt").glob("[0-9]*")))


def most_repeated(stack: Stack, task: str) -> int:
    """How many steps were done again after one ending, at most."""
    steps = done(stack, task)
    pairs = itertools.pairwise(steps)
    return max((last - first + 1 for last, first in pairs if first <= last), default=0)


def pids(stack: Stack, task: str) -> list[int]:
    """The shell that trains, seen from here: a node of the lab has process numbers of its own."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if place.joinpath("cwd").samefile(folder(stack, task)) and is_training(place):
                found.append(int(place.name))
        except OSError:
            continue
    return found


def is_training(process: Path) -> bool:
    return b"command.sh" in process.joinpath("cmdline").read_bytes()


def note_that_it_heeds_the_flag(attempt: Path) -> None:
    """As `diamond.training` does with its first checkpoint."""
    (attempt / "runs" / "1" / "checkpoints.jsonl").touch()


def arrived(stack: Stack, task: str) -> str:
    found = list((stack.work / "tasks" / task / "attempts").glob("*/arrived"))
    return found[0].parent.name if found else ""
