"""The service comes back from an older backup while jobs run: nothing is lost, nothing runs twice."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from support.stack import UNTIL_GO, Stack
from support.waiting import wait_for

WAITS = f"echo begun\n{UNTIL_GO}echo ended\n"


def test_tasks_newer_than_the_backup_are_taken_back_from_the_cluster(
    stack: Stack, tmp_path: Path
) -> None:
    older = stack.submit(WAITS)
    stack.until(older, "running")
    copy = back_up(stack, tmp_path)
    newer = stack.submit(WAITS)
    stack.until(newer, "running")
    stack.go(older)
    stack.until(older, "succeeded")
    restore(stack, copy)
    stack.until(older, "succeeded")
    wait_for(lambda: is_known(stack, newer), what="adopted task")
    stack.go(newer)
    stack.until(newer, "succeeded")
    assert ("adopted", "found on the machine; the service had lost its record") in stack.told(newer)
    for task in (older, newer):
        stack.check(task)


@pytest.mark.slow
def test_a_command_that_the_backup_still_holds_is_harmless(stack: Stack, tmp_path: Path) -> None:
    stack.pause_agent()
    task = stack.submit("echo once\n")
    copy = back_up(stack, tmp_path)
    stack.resume_agent()
    stack.until(task, "succeeded")
    stack.check(task)
    restore(stack, copy)
    assert stack.task(task)["state"] != "succeeded"
    stack.until(task, "succeeded")
    stack.check(task)


def test_a_cancel_newer_than_the_backup_is_not_forgotten(stack: Stack, tmp_path: Path) -> None:
    task = stack.submit(WAITS)
    stack.until(task, "running")
    copy = back_up(stack, tmp_path)
    stack.client.post(f"/tasks/{task}/cancel")
    stack.until(task, "cancelled")
    restore(stack, copy)
    assert stack.until(task, "cancelled")["reason"] == "by-person"
    stack.check(task)


@pytest.mark.slow
def test_a_task_that_ended_after_the_backup_and_was_closed_is_found_again(
    stack: Stack, tmp_path: Path
) -> None:
    copy = back_up(stack, tmp_path)
    task = stack.submit("echo once\n")
    stack.until(task, "succeeded")
    wait_for((stack.attempt_folder(task) / "closed").exists, what="closed attempt")
    restore(stack, copy)
    wait_for(lambda: is_known(stack, task), what="adopted task")
    stack.until(task, "succeeded")
    stack.check(task)


def back_up(stack: Stack, folder: Path) -> Path:
    """As an administrator does, while the service runs."""
    copy = folder / "backup.db"
    database = stack.service.home / "diamond.db"
    with closing(sqlite3.connect(database)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    return copy


def restore(stack: Stack, copy: Path) -> None:
    stack.kill_service()
    for leftover in stack.service.home.glob("diamond.db*"):
        leftover.unlink()
    (stack.service.home / "diamond.db").write_bytes(copy.read_bytes())
    stack.start_service()


def is_known(stack: Stack, task: str) -> bool:
    return stack.client.call("GET", f"/tasks/{task}").status == 200
