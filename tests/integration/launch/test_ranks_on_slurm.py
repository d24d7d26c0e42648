"""Light ranks on several nodes of a real Slurm cluster: started, told who they are, ended, and named."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from support.launching import corrected, launch, log
from support.stack import Stack
from support.waiting import wait_for

TELL = 'echo "rank $RANK of $WORLD_SIZE, $LOCAL_RANK of $LOCAL_WORLD_SIZE, node $NODE_RANK"\n'
MEET = """\
import os, pathlib, socket, sys, time

place, jobs, mine = pathlib.Path(sys.argv[1]), int(sys.argv[2]), os.environ["DIAMOND_TASK"].encode()
at = (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))
(place / mine.decode()).write_text(str(at[1]))
while len(list(place.iterdir())) < jobs:
    time.sleep(0.05)
if os.environ["RANK"] == "0":
    with socket.create_server(at) as door:
        door.accept()[0].sendall(mine)
else:
    while True:
        try:
            heard = socket.create_connection(at).makefile("rb").read()
            break
        except ConnectionRefusedError:
            time.sleep(0.05)
    sys.exit(heard != mine and f"{mine} met {heard}")
"""
UNTIL_TOLD = "trap 'exit 0' TERM; until [ -e never ]; do sleep 0.1; done\n"


def test_every_rank_knows_its_place_and_has_a_log_of_its_own(stack: Stack) -> None:
    task = launch(stack, TELL + 'echo "$MASTER_ADDR:$MASTER_PORT $OMP_NUM_THREADS" >"at.$RANK"')
    stack.until(task, "succeeded")
    lines = [f"rank {r} of 4, {r % 2} of 2, node {r // 2}" for r in range(4)]
    merged = sorted([lines[0], *(f"[{r}] {lines[r]}" for r in (1, 2, 3))])
    wait_for(lambda: log(stack, task) == merged, what="the lines of all ranks")
    wait_for(lambda: log(stack, task, rank=3) == [lines[3]], what="the lines of rank 3")
    places = {file.read_text() for file in stack.run_dir(task).glob("at.*")}
    assert len(places) == 1
    assert places.pop().endswith(" 1\n")


def test_jobs_of_a_node_that_begin_to_look_at_the_same_port_meet_their_own_ranks(
    stack: Stack, tmp_path: Path
) -> None:
    """No rank takes its port before all jobs have chosen theirs."""
    run = ["python3", "-c", MEET, str(tmp_path), "3"]
    with corrected(stack, modules=["export DIAMOND_ATTEMPT=the-same"]):
        tasks = [launch(stack, run, kind="per-rank", nodes=1) for _ in range(3)]
        for task in tasks:
            stack.until(task, "succeeded")
    ports = [int((tmp_path / task).read_text()) for task in tasks]
    assert len(set(ports)) == 3
    assert max(ports) - min(ports) < 50, "all began at the same place"


def test_each_rank_that_torchrun_starts_has_cores_of_its_own(stack: Stack) -> None:
    """To Slurm it is one task of the node; the machine must have as many cores as Slurm believes to give."""
    cores = os.sched_getaffinity(0)
    if len(cores) < 2:
        pytest.skip("this machine has one core")
    program = f"{sys.executable} -c 'import os; print(*os.sched_getaffinity(0))' >cores.$RANK"
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    asked: dict[str, Any] = {"kind": "torchrun", "nodes": 1, "tasks": len(cores)}
    task = launch(stack, program, **asked, environment={"variables": {"PATH": path}})
    free = {"PATH": path, "DIAMOND_BIND": "none"}
    unbound = launch(stack, program, **asked, environment={"variables": free})
    stack.until(task, "succeeded")
    assert sorted(affinities(stack, task)) == [[core] for core in sorted(cores)]
    stack.until(unbound, "succeeded")
    assert affinities(stack, unbound) == [sorted(cores)] * len(cores)


def affinities(stack: Stack, task: str) -> list[list[int]]:
    files = stack.run_dir(task).glob("cores.*")
    return [sorted(map(int, file.read_text().split())) for file in files]


def test_a_rank_that_fails_ends_the_others_and_is_named(stack: Stack) -> None:
    program = f'if [ "$RANK" = 3 ]; then echo "no such file" >&2; exit 9; fi\n{UNTIL_TOLD}'
    task = launch(stack, program)
    ended = stack.until(task, "failed")
    assert (ended["reason"], ended["exit_code"]) == ("exit-code", 9)
    node = json.loads((stack.attempt_folder(task) / "runs/1/culprit.json").read_text())["node"]
    assert f"rank 3 on {node} ended with exit code 9; the 3 others were ended" in ended["message"]
    assert ended["message"].endswith("no such file")


@pytest.mark.slow  # the lab waits 5 s between TERM and KILL, and the shims 5 s before
def test_a_killed_rank_that_ignores_every_request_ends_with_the_others_all_the_same(
    stack: Stack,
) -> None:
    program = 'trap "" TERM\nif [ "$RANK" = 1 ]; then until [ -e go ]; do sleep 0.1; done; kill -9 $$; fi\n'
    task = launch(stack, program + "touch ready.$RANK; until [ -e never ]; do sleep 0.1; done")
    wait_for(
        lambda: len(list(stack.run_dir(task).glob("ready.*"))) == 3, what="three ranks that wait"
    )
    stack.go(task)
    ended = stack.until(task, "failed")
    assert ended["reason"] == "signal"
    assert "rank 1 on beta-n1 was killed by signal 9 (SIGKILL)" in ended["message"]


def test_ranks_that_all_ask_to_be_continued_are_and_go_on(stack: Stack) -> None:
    program = '[ "$DIAMOND_ATTEMPT_NUMBER" = 2 ] || exit 75; echo again'
    task = launch(stack, program)
    ended = stack.until(task, "succeeded")
    assert len(ended["attempts"]) == 2


def test_a_node_whose_ranks_were_killed_twice_is_left_out_of_the_next_attempt(stack: Stack) -> None:
    """Rank 0 comes a step further and is killed, wherever it runs, until a node is left out."""
    program = (
        'echo "$SLURMD_NODENAME" >>"nodes.$DIAMOND_ATTEMPT_NUMBER"\n'
        'grep -q -e "--exclude=" "${DIAMOND_PARAMS%/*}/script.sh" && exit 0\n'
        'if [ "$RANK" = 0 ]; then\n'
        '  printf \'{"step": %d, "loss": 1.0}\\n\' "$DIAMOND_ATTEMPT_NUMBER" >>"$DIAMOND_METRICS"\n'
        f"  kill -9 $$\nfi\n{UNTIL_TOLD}"
    )
    going_on = {"continue": {"on": ["exit-code"], "max_attempts": 9}}
    task = launch(stack, program, nodes=2, tasks=1, **going_on)
    ended = stack.until(task, "succeeded")
    script = (stack.attempt_folder(task) / "script.sh").read_text()
    [excluded] = re.findall(r"^#SBATCH --exclude=(\S+)$", script, re.MULTILINE)
    used = (stack.run_dir(task) / f"nodes.{len(ended['attempts'])}").read_text().split()
    assert len(used) == 2
    assert excluded not in used


def test_a_cancel_gives_every_rank_time_to_save(stack: Stack) -> None:
    program = "trap 'sleep 1; touch saved.$RANK; exit 0' TERM\ntouch ready.$RANK\n"
    task = launch(stack, program + "until [ -e never ]; do sleep 0.1; done")
    folder = stack.run_dir(task)
    wait_for(lambda: len(list(folder.glob("ready.*"))) == 4, what="four ranks")
    stack.client.post(f"/tasks/{task}/cancel", {})
    wait_for(lambda: len(list(folder.glob("saved.*"))) == 4, what="four that saved")
    wait_for(lambda: stack.task(task)["state"] in ("cancelled", "succeeded"), what="the end")
