"""Service, agent and `sbatch` die at every step of a submission: the program runs exactly once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.client import HTTPException

import pytest

from support.stack import UNTIL_GO, Stack
from support.waiting import PATIENCE

PROGRAM = "echo out; echo err >&2\n"
AGENT_STEPS = ["intent-written", "submitting-written", "taken-by-the-scheduler", "native-written"]


@pytest.mark.parametrize("step", AGENT_STEPS)
def test_an_agent_killed_at_any_step_runs_the_program_exactly_once(stack: Stack, step: str) -> None:
    stack.kill_agent()
    doomed = stack.start_agent(DIAMOND_TEST_DIE_AT=step)
    task = stack.submit(PROGRAM)
    assert doomed.wait(PATIENCE) == -9
    stack.start_agent()
    stack.until(task, "succeeded")
    stack.check(task)


@pytest.mark.parametrize("mode", ["die-before", "die-after"])
def test_an_sbatch_that_was_killed_is_looked_for_before_the_next_try(
    stack: Stack, mode: str
) -> None:
    stack.sbatch.next(mode)
    task = stack.submit(PROGRAM)
    stack.until(task, "succeeded")
    stack.check(task)
    assert stack.sbatch.calls == (2 if mode == "die-before" else 1)
    again = ("note", "no trace of it in the batch system for 2 s: submitted again")
    assert (again in stack.told(task)) == (mode == "die-before")


@pytest.mark.slow
def test_a_service_killed_at_every_step_of_one_submission_loses_nothing(stack: Stack) -> None:
    stack.pause_agent()
    stack.sbatch.next("hold-before")
    task = stack.submit(PROGRAM + UNTIL_GO)
    stack.restart_service()
    stack.resume_agent()
    stack.sbatch.wait_until_held()
    stack.restart_service()
    stack.sbatch.release()
    stack.until(task, "running")
    stack.kill_service()
    stack.go(task)
    stack.start_service()
    stack.until(task, "succeeded")
    stack.check(task)
    assert stack.sbatch.calls == 1


def test_a_service_killed_while_sbatch_waits_for_its_answer_hears_of_the_job(stack: Stack) -> None:
    stack.sbatch.next("hold-after")
    task = stack.submit(PROGRAM)
    stack.sbatch.wait_until_held()
    stack.kill_service()
    stack.sbatch.release()
    stack.start_service()
    stack.until(task, "succeeded")
    stack.check(task)


def test_a_request_that_a_dying_service_may_have_taken_is_repeated_by_its_key(
    stack: Stack,
) -> None:
    before = len(stack.client.get("/tasks?limit=200")["items"])
    asked = in_background(lambda: stack.post(PROGRAM, key="once"))
    stack.kill_service()
    asked.join(PATIENCE)
    stack.start_service()
    task = stack.post(PROGRAM, key="once")["tasks"][0]["id"]
    stack.until(task, "succeeded")
    stack.check(task)
    assert len(stack.client.get("/tasks?limit=200")["items"]) == before + 1


def in_background(act: Callable[[], object]) -> threading.Thread:
    def run() -> None:
        try:
            act()
        except (OSError, HTTPException):
            return

    thread = threading.Thread(target=run)
    thread.start()
    return thread
