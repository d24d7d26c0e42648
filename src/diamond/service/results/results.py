"""Results of tasks: named by their program or by a person, read where they are, shown with their places."""

from __future__ import annotations

import time
from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.artifacts import PREFIX, SERVICE
from diamond.core.errors import BadRequest, Conflict, NotFound
from diamond.core.facts import NamedResult
from diamond.core.task import FINAL_WORDS
from diamond.provenance import entries as kinds
from diamond.provenance.bodies import ResultLeft
from diamond.provenance.entries import Draft
from diamond.runtimes.below import steps_of
from diamond.service.access.authorize import Action
from diamond.service.access.principal import Principal
from diamond.service.endpoints.store import endpoints_by_id
from diamond.service.lineage.edges import add_output
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import JsonObject
from diamond.service.platform.event_log import News, publish
from diamond.service.platform.services import Services
from diamond.service.platform.wakeups.notifier import PIPELINES
from diamond.service.results import store
from diamond.service.results.rows import FAILED, READY, WAITING, ResultRow
from diamond.service.results.schemas import NewResult, RunResult
from diamond.service.tasks import store as task_store
from diamond.service.tasks.record_entries import record
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.tasks import find_task
from diamond.service.trees.rows import Ended, ScanRow
from diamond.service.trees.scans import start_scan
from diamond.service.trees.trees import give_tree, places_of

MOST_RESULTS = 50
"""Names for one task; a program that names more keeps these."""
RUN_FOLDER = "run"
"""The working directory of the program, below the task's folder (docs/internals/run-directory.md)."""


async def list_results(services: Services, principal: Principal, task: str) -> list[RunResult]:
    async with services.store.read() as connection:
        row = await find_task(connection, principal, task)
        return await _show(connection, row, await store.results_of(connection, row.id))


async def name_result(
    services: Services, principal: Principal, task: str, body: NewResult
) -> RunResult:
    """Have something in the run directory read; nothing is moved or copied."""

    async def name(tx: Transaction) -> str:
        row = await find_task(tx.connection, principal, task, Action.WRITE)
        if row.state not in FINAL_WORDS:
            raise Conflict(
                f"{row.id} has not ended: its files may still change", "Wait until it has ended."
            )
        await add_result(tx, row, body)
        return row.id

    key = await services.store.run(name)
    async with services.store.read() as connection:
        row = await find_task(connection, principal, key)
        result = await store.find_result(connection, key, body.name)
        return (await _show(connection, row, [result] if result else []))[0]


async def note_results(tx: Transaction, task: TaskRow, named: Sequence[NamedResult]) -> None:
    """What a run calls its results: they are read when the task has ended."""
    for item in named:
        path = "/".join(steps_of(item.path))
        known = await store.find_result(tx.connection, task.id, item.name)
        count = await store.count_results(tx.connection, task.id)
        if path and (known is not None or count < MOST_RESULTS):
            result = _new_result(task, item.name, path, item.kind, item.format, item.signature)
            await store.put_result(tx, result)
    if named and task.state in FINAL_WORDS:
        await read_results(tx, [task])


async def read_results(tx: Transaction, ended: Sequence[TaskRow]) -> None:
    """Have what ended tasks named as results read where it is."""
    by_id = {task.id: task for task in ended}
    for result in await store.unread_results(tx.connection, by_id):
        await _start_reading(tx, by_id[result.task], result)


async def _start_reading(tx: Transaction, task: TaskRow, result: ResultRow) -> None:
    endpoint = (await endpoints_by_id(tx.connection, {task.endpoint})).get(task.endpoint)
    try:
        if endpoint is None or not task.run_dir:
            raise Conflict(f"The run directory of {task.id} is gone")
        scan = await start_scan(tx, endpoint, f"{task.run_dir}/{RUN_FOLDER}/{result.path}")
    except Conflict as error:
        await store.change_result(tx, result, state=FAILED, message=error.message)
    else:
        await store.change_result(tx, result, scan=scan.id)


async def add_result(tx: Transaction, task: TaskRow, body: NewResult) -> None:
    """A name for a path below the run directory, whose digest is made by a scan. Raises for a path that leads out."""
    path = "/".join(steps_of(body.path))
    if not path or not task.run_dir:
        raise BadRequest(
            f"{body.path!r} is not a file or folder of a run directory", "For example: artifacts"
        )
    known = await store.find_result(tx.connection, task.id, body.name)
    if known is None and await store.count_results(tx.connection, task.id) >= MOST_RESULTS:
        raise Conflict(f"{task.id} has {MOST_RESULTS} results already", "Use one folder for all.")
    result = _new_result(task, body.name, path, body.kind, body.format, {})
    await store.put_result(tx, result)
    await _start_reading(tx, task, result)


def _new_result(
    task: TaskRow, name: str, path: str, kind: str, format: str, signature: JsonObject
) -> ResultRow:
    return ResultRow(
        task=task.id,
        name=name,
        owner=task.owner,
        path=path,
        kind=kind,
        format=format,
        signature=signature,
        state=WAITING,
        message="",
        scan="",
        tree="",
        size=0,
        files=0,
        created=time.time(),
    )


async def after_scans(tx: Transaction, ended: Sequence[Ended]) -> None:
    """A scan of a result has ended: its record says what was left."""
    scans = {scan.id: scan for scan in ended if isinstance(scan, ScanRow)}
    for result in await store.results_of_scans(tx.connection, scans) if scans else []:
        scan = scans[result.scan]
        if scan.state == "done" and scan.tree:
            if scan.owner != result.owner:
                await give_tree(tx, scan.owner, result.owner, scan.tree)
            values = {"tree": scan.tree, "size": scan.size, "files": scan.files}
            await store.change_result(tx, result, state=READY, message="", **values)
            await _record(tx, result, scan)
        else:
            await store.change_result(tx, result, state=FAILED, message=scan.message)
        await publish(tx, result.owner, [News("task", result.task)])
        tx.wake(PIPELINES)


async def find_ready(
    connection: AsyncConnection,
    principal: Principal,
    task: str,
    name: str,
    action: Action = Action.READ,
) -> tuple[TaskRow, ResultRow]:
    """A result whose digest is known. Raises `NotFound` or `Conflict`, which say what there is."""
    row = await find_task(connection, principal, task, action)
    known = await store.results_of(connection, row.id)
    result = next((one for one in known if one.name == name), None)
    if result is None:
        names = ", ".join(one.name for one in known)
        hint = f"It has: {names}." if names else "Save something in artifacts/, or name a path."
        raise NotFound(f"{row.id} has no result {name!r}", hint)
    if result.state != READY:
        why = result.message or "its files are still being read"
        raise Conflict(f"{name!r} of {row.id} has no digest yet: {why}", "Try again in a moment.")
    return row, result


async def _record(tx: Transaction, result: ResultRow, scan: ScanRow) -> None:
    task = await task_store.find_task(tx.connection, result.task)
    if task is None:
        return
    left = ResultLeft(scan.tree, result.name, result.kind, scan.files, scan.size)
    await record(tx, [(task, [Draft(kinds.RESULT, time.time(), left)])])
    await add_output(tx, task.id, task.owner, digest=scan.tree, role=result.name)


async def _show(
    connection: AsyncConnection, task: TaskRow, rows: Sequence[ResultRow]
) -> list[RunResult]:
    trees = {row.tree for row in rows if row.tree}
    endpoints = await endpoints_by_id(connection, {task.endpoint})
    owners = {endpoint.owner for endpoint in endpoints.values()}
    places = await places_of(connection, task.owner, trees, also_of=owners)
    names = await endpoints_by_id(
        connection, {place.endpoint for some in places.values() for place in some}
    )
    shown = []
    for row in rows:
        found = [
            SERVICE if place.endpoint == SERVICE else names[place.endpoint].name
            for place in places.get(row.tree, [])
            if place.endpoint in names or place.endpoint == SERVICE
        ]
        state = "lost" if row.state == READY and not found else row.state
        shown.append(
            RunResult.model_validate(
                {
                    "task": row.task,
                    "name": row.name,
                    "path": row.path,
                    "kind": row.kind,
                    "format": row.format,
                    "signature": row.signature,
                    "state": state,
                    "message": row.message,
                    "digest": PREFIX + row.tree if row.tree else "",
                    "size": row.size,
                    "files": row.files,
                    "places": sorted(set(found)),
                    "created": row.created,
                }
            )
        )
    return shown
