"""No `lead` in the spec: on a real cluster the stop flag appears as early as the saves of a real training need it."""

from __future__ import annotations

import itertools
import json
import shlex
import sys
from pathlib import Path

import pytest

from support.stack import Stack
from support.training_job import PROGRAM as SMALL
from support.waiting import wait_for

PROGRAM = SMALL.with_name("slow_saves.py")
LIMIT, SAVE_SECONDS, EXIT_SECONDS = 120, 4.0, 20
STEPS_AND_BEATS = 9
"""Seconds for three of the longest steps, on a machine that does other work too, and for rounding."""


@pytest.mark.slow
def test_the_stop_flag_leaves_time_for_twice_the_slowest_save_that_was_seen(stack: Stack) -> None:
    words = shlex.join([sys.executable, str(PROGRAM), str(SAVE_SECONDS)])
    asked = {"walltime": f"{LIMIT // 60}m", "memory": "2GB"}
    task = stack.submit(words, resources=asked, **{"continue": {"on": ["exit-75"], "ahead": False}})
    stack.until(task, "running")
    first = stack.attempt_folder(task)
    wait_for(lambda: stack.executions(task) == 2, seconds=LIMIT + 60, what="the next attempt")
    last = len(done(stack, task))
    wait_for(lambda: len(done(stack, task)) > last, seconds=90, what="a step of it")
    (stack.run_dir(task) / "enough").touch()
    ended = stack.until(task, "succeeded", seconds=90)

    began, flagged = started(first), (first / "stop").stat().st_mtime
    slowest = max(seconds for time, seconds in saves(first) if time < flagged)
    lead = LIMIT - (flagged - began)
    assert slowest >= SAVE_SECONDS
    assert EXIT_SECONDS + 2 * slowest - 2 <= lead <= EXIT_SECONDS + 2 * slowest + STEPS_AND_BEATS
    assert [one["reason"] for one in ended["attempts"]] == ["exit-code", ""]
    assert (first / "runs/1/exit").read_text().startswith("75 ")
    assert all(then == before + 1 for before, then in itertools.pairwise(done(stack, task)))


def done(stack: Stack, task: str) -> list[int]:
    try:
        return [int(line) for line in (stack.run_dir(task) / "done").read_text().split()]
    except FileNotFoundError:
        return []


def started(attempt: Path) -> float:
    return float((attempt / "runs/1/started").read_text().split()[3])


def saves(attempt: Path) -> list[tuple[float, float]]:
    """When each was on disk, and how long it took."""
    lines = (attempt / "runs/1/checkpoints.jsonl").read_text().splitlines()
    found = [json.loads(line) for line in lines]
    return [(one["time"], one["seconds"]) for one in found if one["event"] == "saved"]
