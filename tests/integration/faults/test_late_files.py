"""Files of another node that are seen late or out of order."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.stack import UNTIL_GO, Stack
from support.waiting import wait_for

WAITS = f"echo begun\n{UNTIL_GO}echo ended; echo last words >&2\n"
LATE_SECONDS = 60.0


def test_an_exit_file_that_is_seen_before_its_start_ends_the_task(stack: Stack) -> None:
    with away(stack, "echo once\n", "started") as (task, hidden):
        stack.resume_agent()
        stack.until(task, "succeeded")
        hidden.back()
    stack.check(task)


@pytest.mark.parametrize(("code", "state"), [(0, "succeeded"), (3, "failed")])
def test_without_its_exit_file_the_batch_systems_word_on_the_same_code_decides(
    stack: Stack, code: int, state: str
) -> None:
    with away(stack, f"echo once; exit {code}\n", "exit") as (task, hidden):
        stack.resume_agent()
        ended = stack.until(task, state)
        hidden.back()
    assert ended["exit_code"] == code
    assert stack.task(task)["state"] == state
    stack.check(task)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["exit", "."])
def test_files_that_appear_a_minute_late_lose_no_byte(stack: Stack, name: str) -> None:
    """With `.` the whole folder of the run is seen late."""
    with away(stack, WAITS, name, go=True) as (task, hidden):
        stack.resume_agent()
        end = time.monotonic() + LATE_SECONDS
        stack.until(task, "succeeded")
        wait_for(lambda: time.monotonic() > end, LATE_SECONDS + 5, what="late minute")
        hidden.back()
    assert stack.task(task)["state"] == "succeeded"
    stack.check(task)


class Hidden:
    """A file, or the whole folder, of run 1, moved to where nobody looks; its marks are gone."""

    def __init__(self, stack: Stack, task: str, name: str) -> None:
        self.place = (stack.attempt_folder(task) / "runs" / "1" / name).resolve()
        self.aside = stack.folder / f"hidden-{task}"
        self.place.rename(self.aside)
        for mark in (stack.work / "inbox").glob(f"{task}.*"):
            mark.unlink()

    def back(self) -> None:
        self.aside.rename(self.place)


@contextmanager
def away(
    stack: Stack, program: str, name: str, *, go: bool = False
) -> Iterator[tuple[str, Hidden]]:
    """A task that ran and ended while the agent saw nothing of it, and whose file is then away."""
    stack.sbatch.next("hold-after")
    task = stack.submit(program)
    stack.sbatch.wait_until_held()
    stack.pause_agent()
    stack.sbatch.release()
    attempt = next((stack.work / "tasks" / task / "attempts").iterdir())
    if go:
        wait_for((attempt / "runs" / "1" / "started").exists, what="start")
        stack.go(task)
    wait_for((attempt / "runs" / "1" / "exit").exists, what="exit file")
    wait_for(lambda: has_left_the_queue(stack, attempt), what="end in Slurm")
    yield task, Hidden(stack, task, name)


def has_left_the_queue(stack: Stack, attempt: Path) -> bool:
    name = f"--name=diamond-{attempt.name}"
    return not stack.slurm("squeue", "-h", name)
