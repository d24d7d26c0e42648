"""A time limit that the site raises while the program runs, on a real cluster: the stop flag and the budget follow it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.chains import queue_ahead
from support.stack import UNTIL_GO, Stack
from support.waiting import wait_for

OLD, NEW, LEAD = 60, 120, 30
HEEDS = """\
until [ -e "$DIAMOND_STOP_FILE" ]; do sleep 0.1; done
cat "${DIAMOND_STOP_FILE%/stop}/deadline" >seen
"""
"""It takes the flag for the end of its work, so that one attempt is all."""
ASKS = UNTIL_GO + '[ "$DIAMOND_ATTEMPT_NUMBER" -gt 1 ] || exit 75\n'


@pytest.mark.slow
def test_the_stop_flag_waits_for_a_time_limit_that_was_raised(stack: Stack) -> None:
    going_on = {"continue": {"on": ["exit-75", "wall-time"], "lead": f"{LEAD}s", "ahead": False}}
    task = stack.submit(HEEDS, resources={"walltime": "1m", "memory": "100MB"}, **going_on)
    stack.until(task, "running")
    stack.slurm("scontrol", "update", f"jobid={stack.native_id(task)}", "TimeLimit=2")
    ended = stack.until(task, "succeeded", seconds=NEW + 30)
    place = stack.attempt_folder(task)
    began, flagged = number(place / "runs/1/started", 3), (place / "stop").stat().st_mtime
    deadline = number(stack.run_dir(task) / "seen")
    assert OLD < flagged - began <= NEW - LEAD + 2, "not at the old moment, and in time"
    assert abs(deadline - began - NEW) <= 3, "what the program could read beside the flag"
    assert (len(ended["attempts"]), stack.executions(task)) == (1, 1)


def test_a_raised_limit_counts_and_takes_back_the_follow_up_that_no_longer_fits(
    stack: Stack,
) -> None:
    """Room for two attempts of five minutes; the first is given eight."""
    chain = {"continue": {"on": ["exit-75"]}, "budget": f"{10 / 60 + 1e-6} node-hours"}
    task = stack.submit(ASKS, **chain)
    stack.until(task, "running")
    queue_ahead(stack, task)
    follow_up = wait_for(lambda: stack.task(task)["chain"]["follow_up"], what="the follow-up")
    job = wait_for(lambda: attempt(stack, task, follow_up)["native_id"], what="its job")
    stack.slurm("scontrol", "update", f"jobid={stack.native_id(task)}", "TimeLimit=8")
    wait_for(lambda: not stack.task(task)["chain"]["follow_up"], what="the follow-up taken back")
    wait_for(lambda: job not in queued(stack), what="the end of its job")
    seen = stack.task(task)
    assert seen["state"] == "running"
    assert seen["chain"]["budget"]["committed"] == pytest.approx(8 / 60)
    stack.go(task)
    ended = stack.until(task, "succeeded")
    assert [one["reason"] for one in ended["attempts"]] == ["exit-code", "withdrawn", ""]
    assert stack.executions(task) == 2


def attempt(stack: Stack, task: str, which: str) -> Any:
    return next(one for one in stack.task(task)["attempts"] if one["id"] == which)


def queued(stack: Stack) -> list[str]:
    return stack.slurm("squeue", "-h", "-t", "PD,R,CG,S", "-o", "%i").split()


def number(file: Path, place: int = 0) -> int:
    return int(file.read_text().split()[place])
