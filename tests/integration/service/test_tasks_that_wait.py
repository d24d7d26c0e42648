"""A task that waits for several things is submitted when all are there, and fails when one fails."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, text

from diamond.core.dependencies import Dependency, DependencyKind
from diamond.core.events import Exited, PrepareFailed, Started
from diamond.core.task import Reason
from diamond.service.access.principal import LOCAL_USER
from diamond.service.endpoints.commands import send
from diamond.service.people.first_start import first_start
from diamond.service.platform.database.engine import Store, Transaction
from diamond.service.platform.database.migrate import upgrade
from diamond.service.platform.database.tables import commands
from diamond.service.tasks.dependency_store import add_dependencies, dependencies_of, waiting_for
from diamond.service.tasks.job_store import add_job
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.stepping import Steps
from diamond.service.tasks.store import add_task, find_task
from diamond.service.tasks.submit_command import submit_command
from diamond.service.tasks.tasks import end_task
from support.database import open_store, with_store
from support.image_scene import ENVIRONMENT, BuildReporter, record_of, take_commands
from support.postgres import Postgres
from support.scene import Scene, new_scene
from support.service import RunningService
from support.task_rows import job_row, task_row

PROBE = Dependency(DependencyKind.PROBE, "s-probe", message="short runs measure it")
ENDINGS = [
    ("build", "environment", "its image was not built"),
    ("task", "dependency", "the task it waits for failed"),
]


@pytest.fixture
def scene(service: RunningService) -> Scene:
    return new_scene(service)


def waits_also_for_probes(scene: Scene, task: str) -> None:
    async def add(tx: Transaction) -> None:
        row = await find_task(tx.connection, task)
        assert row is not None
        await add_dependencies(tx, row, [PROBE])

    async def run() -> None:
        async with open_store(scene.service.home, scene.service.database_url) as store:
            await store.run(add)

    asyncio.run(run())


def waiting_task(scene: Scene) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """A task that waits for a build and for probes; the build; their environment."""
    environment = {**ENVIRONMENT, "test": f"echo {scene.name}"}
    task = scene.submit(environment=environment)["id"]
    waits_also_for_probes(scene, task)
    (build,) = scene.client.get(f"/tasks?kind=build&endpoint={scene.name}")["items"]
    take_commands(scene)
    return task, build, environment


def states(task: dict[str, Any]) -> dict[str, str]:
    return {one["kind"]: one["state"] for one in task["dependencies"]}


def test_an_image_that_is_built_leaves_a_task_waiting_for_its_probes(scene: Scene) -> None:
    task, build, environment = waiting_task(scene)
    shown = scene.task(task)
    assert (shown["phase"], shown["awaits"]) == ("building", build["id"])
    assert states(shown) == {"build": "waiting", "probe": "waiting"}

    BuildReporter(scene, build).succeeds(record_of(1), environment)
    assert take_commands(scene) == []
    shown = scene.task(task)
    assert (shown["state"], shown["phase"], shown["awaits"]) == ("preparing", "probing", "s-probe")
    assert shown["message"] == PROBE.message
    assert states(shown) == {"build": "met", "probe": "waiting"}
    assert shown["order"]["image"]["sha256"] == record_of(1)["sha256"]
    assert task not in {one["task"] for one in scene.agent.hello()["open_tasks"]}

    assert scene.client.post(f"/tasks/{task}/cancel")["state"] == "cancelled"


def test_a_task_fails_with_its_build_though_it_waits_for_probes_too(scene: Scene) -> None:
    task, build, _ = waiting_task(scene)
    BuildReporter(scene, build).fails()
    shown = scene.task(task)
    assert (shown["state"], shown["reason"]) == ("failed", "environment")
    assert states(shown) == {"build": "failed", "probe": "waiting"}
    assert build["id"] in next(
        one["message"] for one in shown["dependencies"] if one["state"] == "failed"
    )


async def fill(store: Store, kinds: dict[str, str]) -> None:
    """A task `t0` that waits for one of each of these: ids and kinds."""
    await first_start(store)
    waits_for = [Dependency(DependencyKind(kind), target) for target, kind in kinds.items()]

    async def add(tx: Transaction) -> None:
        await add_job(tx, job_row("j1", owner=LOCAL_USER, name="digits"))
        for target, kind in kinds.items():
            row = task_row(id=target, kind="build" if kind == "build" else "run", attempt=target)
            await add_task(tx, row)
        waiting = task_row(id="t0", phase="building")
        await add_task(tx, waiting)
        await add_dependencies(tx, waiting, waits_for)

    await store.run(add)


async def load(store: Store, task: str = "t0") -> TaskRow:
    async with store.read() as connection:
        row = await find_task(connection, task)
    assert row is not None
    return row


async def submitted(store: Store) -> list[str]:
    async with store.read() as connection:
        query = select(commands.c.task).where(commands.c.type == "submit")
        return list((await connection.execute(query)).scalars())


def test_a_task_that_waits_for_two_builds_is_submitted_after_the_second(
    tmp_path: Path, database_url: str
) -> None:
    async def meet(store: Store, target: str) -> None:
        async def work(tx: Transaction) -> None:
            (row,) = await waiting_for(tx.connection, target)
            steps = Steps(row.owner)
            await steps.meet(tx, row, target, "the image is there")
            await steps.save(tx)

        await store.run(work)

    async def work(store: Store) -> None:
        await fill(store, {"t1": "build", "t2": "build"})
        await meet(store, "t2")
        assert await submitted(store) == []
        assert (await load(store)).phase == "building"
        await meet(store, "t1")
        assert await submitted(store) == ["t0"]
        row = await load(store)
        assert (row.state, row.phase, row.message) == ("preparing", "staging", "the image is there")

    with_store(tmp_path, database_url, work)


def test_a_task_that_waits_for_others_is_submitted_once_they_have_succeeded(
    tmp_path: Path, database_url: str
) -> None:
    async def succeed(tx: Transaction, task: str) -> None:
        row = await find_task(tx.connection, task)
        assert row is not None
        steps = Steps(row.owner)
        await steps.load(tx, row)
        steps.apply(task, Started(1.0, row.attempt, run=1, node="n1"))
        steps.apply(task, Exited(2.0, row.attempt, run=1, exit_code=0))
        await steps.save(tx)

    async def work(store: Store) -> None:
        await fill(store, {"t1": "task", "t2": "task"})
        await store.run(lambda tx: succeed(tx, "t1"))
        assert await submitted(store) == []
        assert (await load(store)).phase == "held"
        await store.run(lambda tx: succeed(tx, "t2"))
        assert await submitted(store) == ["t0"]

    with_store(tmp_path, database_url, work)


@pytest.mark.parametrize(("kind", "reason", "message"), ENDINGS)
def test_a_task_fails_with_what_it_waits_for(
    tmp_path: Path, database_url: str, kind: str, reason: str, message: str
) -> None:
    async def end(tx: Transaction) -> None:
        row = await find_task(tx.connection, "t1")
        assert row is not None
        steps = Steps(row.owner)
        await steps.load(tx, row)
        steps.apply("t1", PrepareFailed(1.0, row.attempt, Reason.DISK.value, "the disk is full"))
        await steps.save(tx)

    async def work(store: Store) -> None:
        await fill(store, {"t1": kind, "t2": "build"})
        await store.run(end)
        row = await load(store)
        assert (row.state, row.reason) == ("failed", reason)
        assert row.message.startswith(message) and "the disk is full" in row.message
        assert await submitted(store) == []
        async with store.read() as connection:
            known = (await dependencies_of(connection, ["t0"]))["t0"]
        assert {one.target: one.state for one in known} == {"t1": "failed", "t2": "waiting"}

    with_store(tmp_path, database_url, work)


def test_a_failure_reaches_those_who_wait_for_the_one_that_waits(
    tmp_path: Path, database_url: str
) -> None:
    async def chain_up(tx: Transaction) -> None:
        last = task_row(id="t9", phase="held")
        await add_task(tx, last)
        await add_dependencies(tx, last, [Dependency(DependencyKind.TASK, "t0")])

    async def cancel(tx: Transaction) -> None:
        row = await find_task(tx.connection, "t1")
        assert row is not None
        await end_task(tx, row, by="Ada")

    async def work(store: Store) -> None:
        await fill(store, {"t1": "task"})
        await store.run(chain_up)
        await store.run(lambda tx: send(tx, [submit_command(task_row(id="t1", attempt="t1"))]))
        await store.run(cancel)
        assert "t1" in (await load(store, "t0")).message
        last = await load(store, "t9")
        assert (last.state, last.reason) == ("failed", "dependency")
        assert "t0" in last.message

    with_store(tmp_path, database_url, work)


def test_the_last_two_that_come_at_once_submit_the_task_once(
    tmp_path: Path, postgres: Postgres
) -> None:
    """Each sees the other as open, were it not for the version of the task's row."""

    async def work(store: Store) -> None:
        await fill(store, {"t1": "build", "t2": "build"})
        both_have_read = asyncio.Barrier(2)
        tries: list[str] = []

        async def meet(target: str) -> None:
            async def settle(tx: Transaction) -> None:
                tries.append(target)
                (row,) = await waiting_for(tx.connection, target)
                if tries.count(target) == 1:
                    await both_have_read.wait()
                steps = Steps(row.owner)
                await steps.meet(tx, row, target, "the image is there")
                await steps.save(tx)

            await store.run(settle)

        await asyncio.gather(meet("t1"), meet("t2"))
        assert len(tries) == 3
        assert await submitted(store) == ["t0"]

    with_store(tmp_path, postgres.new_database(), work)


STORED = [
    "INSERT INTO image_moves (id, owner, kind, endpoint, reference, name, sha256, record, words, state, bytes, size, "
    "message, created, updated) VALUES ('m1', 'local', 'copy', 'e', '', '', '', '{}', '', 'running', 0, 0, '', 0, 0)",
    "INSERT INTO jobs (id, owner, name, spec, digest, project, assignment, created) "
    "VALUES ('j1', 'local', 'x', '{}', '', '', '', 0)",
    "INSERT INTO scales (id, owner, name, kind, state, message, job, for_task, endpoint, endpoint_name, fits, wanted, "
    "probes, result, created, updated, version) VALUES ('s1', 'local', 'x', 'nodes', 'running', '', 'j1', '', 'e', 'e', "
    "'', '{}', '[]', '{}', 0, 0, 1)",
]
STORED_TASK = """INSERT INTO tasks (id, owner, job, name, kind, endpoint, endpoint_name, state, phase, native_state, reason,
   message, as_of, cancel_requested, attempt, attempts, node, run_dir, created, updated, "order", digest, project,
   node_seconds, bytes, untold, history, version, awaits)
   VALUES (:id, 'local', 'j1', 'x', 'run', 'e', 'e', 'preparing', 'building', '', '', 'it waits', 0, false, 'a', '[]', '',
   '', 3, 4, '{}', '', '', 0, 0, :ended, 0, 1, :awaits)"""


def test_what_tasks_of_an_older_version_wait_for_is_carried_over(
    tmp_path: Path, database_url: str
) -> None:
    waits_for = {"t1": "tbuild", "t2": "m1", "t3": "s1", "t4": None}

    async def store_old(store: Store) -> None:
        async with store.write() as tx:
            await tx.connection.execute(
                text("INSERT INTO users (id, name, created) VALUES ('local', 'local', 0)")
            )
            for statement in STORED:
                await tx.connection.execute(text(statement))
            for task, awaits in waits_for.items():
                values = {"id": task, "awaits": awaits, "ended": task == "t4"}
                await tx.connection.execute(text(STORED_TASK), values)

    async def run() -> None:
        async with open_store(tmp_path, database_url, "0021") as store:
            await store_old(store)
            await upgrade(store)
            async with store.read() as connection:
                known = await dependencies_of(connection, waits_for)
                ended = await connection.execute(text("SELECT id FROM tasks WHERE unconfirmed"))
                assert list(ended.scalars()) == ["t4"]
        carried = {task: [(one.kind, one.target) for one in rows] for task, rows in known.items()}
        assert carried == {
            "t1": [("build", "tbuild")],
            "t2": [("transfer", "m1")],
            "t3": [("probe", "s1")],
        }
        first = known["t1"][0]
        assert (first.state, first.message, first.created) == ("waiting", "it waits", 3.0)

    asyncio.run(run())
