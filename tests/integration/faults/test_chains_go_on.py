"""Chains of attempts on a real cluster, while service, agent or controller are away, and follow-ups that are queued ahead."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.chains import queue_ahead
from support.stack import Stack
from support.waiting import wait_for

STEPS = """\
n=$(cat steps 2>/dev/null || echo 0)
n=$((n + 1)); echo $n >steps
printf '{"step": %d, "time": 0}\\n' $n >>"$DIAMOND_METRICS"
until [ -e go$n ]; do sleep 0.05; done
"""
"""Each attempt logs one step more, and waits for its own go."""
ONE_MORE = STEPS + "[ $n -ge 3 ] || exit 75\n"
CHAIN: dict[str, Any] = {"continue": {"on": ["exit-75", "wall-time", "node-lost"]}}


def test_a_chain_goes_on_while_the_service_is_away(stack: Stack) -> None:
    task = stack.submit(ONE_MORE, **CHAIN)
    wait_for(lambda: steps(stack, task) == 1, what="first attempt")
    stack.kill_service()
    go(stack, task, 1)
    wait_for(lambda: steps(stack, task) == 2, what="second attempt without a service")
    go(stack, task, 2)
    wait_for(lambda: steps(stack, task) == 3, what="third attempt without a service")
    go(stack, task, 3)
    stack.start_service()
    ended = stack.until(task, "succeeded")
    assert [one["number"] for one in ended["attempts"]] == [1, 2, 3]
    assert [one["step"] for one in ended["attempts"]][:2] == [1, 2]
    assert stack.executions(task) == 3


def test_a_chain_goes_on_when_the_agent_was_away_at_an_end(stack: Stack) -> None:
    task = stack.submit(STEPS + "[ $n -ge 2 ] || exit 75\n", **CHAIN)
    wait_for(lambda: steps(stack, task) == 1, what="first attempt")
    stack.kill_agent()
    go(stack, task, 1)
    wait_for(lambda: exit_file(stack, task).exists(), what="end of the first attempt")
    stack.start_agent()
    wait_for(lambda: steps(stack, task) == 2, what="second attempt")
    go(stack, task, 2)
    stack.until(task, "succeeded")
    assert stack.executions(task) == 2


SAVES = "trap 'exit 75' TERM\n" + STEPS
"""It saves, as it were, on the signal that ends it."""


@pytest.mark.slow
def test_a_job_that_is_requeued_after_it_asked_to_go_on_does_not_run_beside_the_next(
    stack: Stack,
) -> None:
    """Which waits for longer than the one that comes back."""
    task = stack.submit(SAVES, options={"slurm": {"begin": "now+25"}}, **CHAIN)
    wait_for(lambda: steps(stack, task) == 1, what="first attempt")
    job = stack.native_id(task)
    stack.slurm("scontrol", "update", f"jobid={job}", "requeue=1")
    stack.slurm("scontrol", "requeue", job)
    wait_for(lambda: steps(stack, task) == 2, what="second attempt")
    wait_for(lambda: not in_the_queue(stack, job), what="end of the requeued job")
    go(stack, task, 2)
    ended = stack.until(task, "succeeded")
    assert [len(one["runs"]) for one in ended["attempts"]] == [1, 1]
    assert stack.executions(task) == 2


def test_a_cancelled_attempt_that_saves_and_asks_to_go_on_is_the_last(stack: Stack) -> None:
    task = stack.submit(SAVES, **CHAIN)
    wait_for(lambda: steps(stack, task) == 1, what="first attempt")
    stack.client.post(f"/tasks/{task}/cancel")
    stack.until(task, "cancelled")
    wait_for(lambda: exit_file(stack, task).exists(), what="end of the program")
    assert exit_file(stack, task).read_text().startswith("75 ")
    assert len(attempts(stack, task)) == 1


def test_a_follow_up_with_nodes_waits_until_the_program_before_it_has_ended(stack: Stack) -> None:
    task = stack.submit(STEPS + "[ $n -ge 2 ] || exit 75\n", **CHAIN)
    stack.until(task, "running")
    first = attempts(stack, task)[0]
    queue_ahead(stack, task)
    wait_for(lambda: arrived(stack, task), what="nodes of the follow-up")
    seen = wait_for(lambda: following(stack, task), what="follow-up in the record")
    assert (seen["state"], seen["attempt"]) == ("running", first.name)
    assert stack.executions(task) == 1
    go(stack, task, 1)
    wait_for(lambda: steps(stack, task) == 2, what="program of the follow-up")
    go(stack, task, 2)
    ended = stack.until(task, "succeeded")
    assert [one["number"] for one in ended["attempts"]] == [1, 2]
    assert ended["attempts"][1]["arrived"] <= ended["attempts"][0]["ended"]
    assert stack.executions(task) == 2


def test_a_follow_up_goes_away_unasked_when_the_work_is_finished(stack: Stack) -> None:
    task = stack.submit(STEPS, **CHAIN)
    stack.until(task, "running")
    queue_ahead(stack, task)
    wait_for(lambda: arrived(stack, task), what="nodes of the follow-up")
    job = json.loads((attempts(stack, task)[1] / "native.json").read_text())["native_id"]
    go(stack, task, 1)
    ended = stack.until(task, "succeeded")
    wait_for(lambda: not in_the_queue(stack, job), what="end of the follow-up's job")
    assert stack.executions(task) == 1
    assert ended["attempt"] == ended["attempts"][0]["id"]


def test_two_attempts_without_progress_stop_the_chain(stack: Stack) -> None:
    program = 'printf \'{"step": 7, "time": 0}\\n\' >>"$DIAMOND_METRICS"\nexit 75\n'
    ended = stack.until(stack.submit(program, **CHAIN), "failed")
    assert ended["reason"] == "no-progress"
    assert (len(ended["attempts"]), ended["chain"]["stalled"]) == (3, 2)
    assert ended["chain"]["may_resume"]


FORGETS = """\
echo "${DIAMOND_RESUME_FROM##*/}" >>given
case $DIAMOND_ATTEMPT_NUMBER in
  1) mkdir ckpt; touch -d '1 hour ago' ckpt/1; touch ckpt/2; exit 75 ;;
  2) rm "$DIAMOND_RESUME_FROM"; exit 75 ;;
  3) touch ckpt/3; exit 75 ;;
esac
"""


def test_a_checkpoint_that_was_deleted_is_given_to_nobody_and_is_no_progress(stack: Stack) -> None:
    """The newest is removed by the attempt that took it, which writes no other: the next gets the one before."""
    task = stack.submit(FORGETS, **{"continue": {"on": ["exit-75"], "from": "ckpt/*"}})
    ended = stack.until(task, "succeeded")
    assert (run_dir(stack, task) / "given").read_text().split("\n") == ["", "2", "1", "3", ""]
    assert [one["checkpoint"] for one in ended["attempts"]][:3] == ["ckpt/2", "ckpt/1", "ckpt/3"]
    assert ended["chain"]["stalled"] == 0, "the third came further again"


def test_a_chain_ends_at_its_budget_and_goes_on_in_the_same_folder_with_a_new_one(
    stack: Stack,
) -> None:
    five_minutes = {"budget": "0.083334 node-hours", "resources": {"walltime": "5m"}}
    task = stack.submit(STEPS + "[ $n -ge 2 ] || exit 75\n", **CHAIN, **five_minutes)
    stack.until(task, "running")
    go(stack, task, 1)
    ended = stack.until(task, "failed")
    assert (ended["reason"], len(ended["attempts"])) == ("budget", 1)
    assert ended["chain"]["budget"]["left"] < 5 / 60
    more = stack.client.post(f"/tasks/{task}/resume", {"budget": "0.1 node-hours"})
    assert (more["chain"]["continues"], more["retry_of"]) == (task, task)
    wait_for(lambda: steps(stack, more["id"]) == 2, what="the next step in the same folder")
    go(stack, more["id"], 2)
    stack.until(more["id"], "succeeded")


@pytest.mark.slow
def test_a_chain_goes_on_while_the_controller_is_away(stack: Stack) -> None:
    task = stack.submit(ONE_MORE, **CHAIN)
    wait_for(lambda: steps(stack, task) == 1, what="first attempt")
    stack.cluster.break_controller("stop")
    go(stack, task, 1)
    wait_for(lambda: exit_file(stack, task).exists(), what="end of the first attempt")
    stack.cluster.break_controller("start")
    wait_for(lambda: steps(stack, task) == 2, seconds=90, what="second attempt")
    go(stack, task, 2)
    wait_for(lambda: steps(stack, task) == 3, seconds=90, what="third attempt")
    go(stack, task, 3)
    stack.until(task, "succeeded", seconds=90)
    assert stack.executions(task) == 3


def run_dir(stack: Stack, task: str) -> Path:
    return stack.work / "tasks" / task / "run"


def steps(stack: Stack, task: str) -> int:
    try:
        return int((run_dir(stack, task) / "steps").read_text() or 0)
    except (OSError, ValueError):
        return 0


def go(stack: Stack, task: str, step: int) -> None:
    (run_dir(stack, task) / f"go{step}").touch()


def attempts(stack: Stack, task: str) -> list[Path]:
    """Their folders, by number."""
    folders = (stack.work / "tasks" / task / "attempts").glob("*/attempt.json")
    return [file.parent for file in sorted(folders, key=lambda one: _number(one))]


def _number(file: Path) -> int:
    return int(json.loads(file.read_text())["number"])


def exit_file(stack: Stack, task: str) -> Path:
    return attempts(stack, task)[0] / "runs" / "1" / "exit"


def arrived(stack: Stack, task: str) -> bool:
    found = attempts(stack, task)
    return len(found) > 1 and (found[1] / "arrived").exists()


def following(stack: Stack, task: str) -> Any:
    seen = stack.task(task)
    entry = [one for one in seen["attempts"] if one["id"] == seen["chain"]["follow_up"]]
    return seen if entry and entry[0]["arrived"] else None


def in_the_queue(stack: Stack, job: str) -> bool:
    told = stack.slurm("squeue", "-h", "-j", job, "-t", "PD,R,CG,S", "-o", "%i", check=False)
    return job in told.split()
