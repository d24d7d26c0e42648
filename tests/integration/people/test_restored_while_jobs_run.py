"""`diamond admin restore` of an older backup while jobs run on a cluster, on both databases: none lost, none doubled."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from diamond.testing.lab import Lab
from support.backups import run_backup
from support.postgres import find_programs, running_postgres
from support.stack import UNTIL_GO, Stack, running_stack
from support.waiting import PATIENCE, wait_for

WAITS = f"echo begun\n{UNTIL_GO}echo ended\n"


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param == "sqlite":
        yield ""
        return
    programs = find_programs()
    if programs is None:
        pytest.skip("no PostgreSQL here: `initdb` is neither on PATH nor in /usr/lib/postgresql")
    with running_postgres(programs) as server:
        yield server.new_database()


@pytest.fixture
def stack(slurm_lab: Lab, tmp_path: Path, database_url: str) -> Iterator[Stack]:
    cluster = slurm_lab.cluster("alpha")
    with running_stack(cluster, tmp_path / "stack", database_url=database_url) as made:
        yield made


@pytest.mark.slow
def test_an_older_backup_brought_back_while_jobs_run_loses_and_doubles_none(
    stack: Stack, tmp_path: Path
) -> None:
    goes_on, ends, stopped = (begun(stack) for _ in range(3))
    file = tmp_path / "backup.tar"
    act(stack, "backup", file)
    newer, newer_ends = begun(stack), begun(stack)
    for task in (ends, newer_ends):
        stack.go(task)
        stack.until(task, "succeeded")
    stack.client.post(f"/tasks/{stopped}/cancel")
    stack.until(stopped, "cancelled")
    act(stack, "restore", file)
    stack.service.process.wait(PATIENCE)  # It begins anew; here nobody else starts it again.
    stack.start_service()
    every = (goes_on, ends, stopped, newer, newer_ends)
    for task in every:
        wait_for(lambda: is_known(stack, task), what=f"{task} in the restored service")  # noqa: B023
    for task in (goes_on, newer):
        stack.go(task)
    for task in (goes_on, ends, newer, newer_ends):
        stack.until(task, "succeeded")
    assert stack.until(stopped, "cancelled")["reason"] == "by-person"
    for task in every:
        stack.check(task)
    listed = [one["id"] for one in stack.client.get("/tasks")["items"]]
    assert sorted(listed) == sorted(every)


def begun(stack: Stack) -> str:
    task = stack.submit(WAITS)
    stack.until(task, "running")
    return task


def act(stack: Stack, word: str, file: Path) -> None:
    done = run_backup(word, file, stack.service.home, stack.service.database_url)
    assert done.returncode == 0, done.stderr


def is_known(stack: Stack, task: str) -> bool:
    return stack.client.call("GET", f"/tasks/{task}").status == 200
