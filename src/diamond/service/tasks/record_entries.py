"""What a task's record says of its life: submitted, resolved, each attempt, the end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import asdict, replace

from pydantic import JsonValue

from diamond import __version__
from diamond.core.code_facts import code_facts_from
from diamond.core.order import Code, Order
from diamond.core.task import FINAL_WORDS
from diamond.provenance import entries as kinds
from diamond.provenance.bodies import (
    AttemptEnded,
    CodeUsed,
    InputUsed,
    OrderResolved,
    RunEnded,
    TaskEnded,
    TaskSubmitted,
)
from diamond.provenance.entries import Draft
from diamond.provenance.public import public, without_secrets
from diamond.provenance.seeds import seeds_in
from diamond.service.chains.rows import AttemptRow
from diamond.service.entries.append import Addition, append
from diamond.service.entries.store import entries_of_many, heads_of
from diamond.service.platform.database.engine import Store, Transaction
from diamond.service.platform.database.rows import JsonObject
from diamond.service.tasks import job_store
from diamond.service.tasks.rows import JobRow, TaskRow
from diamond.service.tasks.store import tasks_without_record

Drafts = Sequence[Draft]
REBUILT_AT_ONCE = 100


async def record_submitted(
    tx: Transaction, task: TaskRow, job: JobRow, order: Order, given: JsonObject | None = None
) -> None:
    """`order`: the task's. `given`: the spec as the person wrote it."""
    first = submitted(task, job, order, given=given)
    await append(tx, [Addition(task.id, task.owner, [first])], known={})


async def record_order(tx: Transaction, task: TaskRow, why: str) -> None:
    """The order as it is now, if it has changed since it was last recorded."""
    known = await entries_of_many(tx.connection, [task.id], {kinds.SUBMITTED, kinds.RESOLVED})
    settled = task.order.digest
    last = known[task.id][-1].entry.body if known[task.id] else {}
    if last.get("digest") != settled:
        await record(tx, [(task, [_resolved(task, settled, why)])])


async def rebuild_records(database: Store) -> int:
    """Records for tasks from before records existed; how many were made."""
    count = 0
    while made := await database.run(_rebuild_some):
        count += made
        await asyncio.sleep(0)
    return count


async def ensure_record(tx: Transaction, task: TaskRow) -> None:
    """A record for a task from before records existed, if it has none yet."""
    if not await heads_of(tx.connection, {task.id}):
        job = await job_store.find_job(tx.connection, task.job)
        await append(tx, [Addition(task.id, task.owner, whole_life(task, job))], known={})


async def record(tx: Transaction, changes: Sequence[tuple[TaskRow, Drafts]]) -> None:
    """Entries for tasks. One from before records existed gets a first entry made from what is stored, marked as such."""
    wanted = [(task, drafts) for task, drafts in changes if drafts]
    if not wanted:
        return
    heads = await heads_of(tx.connection, {task.id for task, _ in wanted})
    additions = []
    for task, drafts in wanted:
        before = [] if task.id in heads else await _rebuilt(tx, task, drafts)
        additions.append(Addition(task.id, task.owner, [*before, *drafts]))
    await append(tx, additions, known=heads)


def changes_of(before: TaskRow, after: TaskRow) -> list[Draft]:
    """What happened between two states of a task, for its record."""
    known = {attempt.id: attempt for attempt in before.attempts}
    drafts = [
        _attempt(attempt)
        for attempt in after.attempts
        if attempt.ended is not None and _is_news(known.get(attempt.id), attempt)
    ]
    is_over = after.state in FINAL_WORDS
    if is_over and (before.state not in FINAL_WORDS or before.reason != after.reason):
        drafts.append(_ended(after))
    return drafts


def whole_life(task: TaskRow, job: JobRow | None) -> list[Draft]:
    """The record of a task from before records existed, from what is stored of it."""
    nothing_yet = replace(task, attempts=(), state="")
    return [submitted(task, job, task.order, is_rebuilt=True), *changes_of(nothing_yet, task)]


def submitted(
    task: TaskRow,
    job: JobRow | None,
    order: Order,
    *,
    given: JsonObject | None = None,
    is_rebuilt: bool = False,
) -> Draft:
    spec = without_secrets(given if given is not None else job.spec if job else {})
    resolved = without_secrets(task.order_json)
    variables = order.environment.variables if order.environment else {}
    body = TaskSubmitted(
        task=task.id,
        job=task.job,
        name=task.name,
        kind=task.kind,
        spec=public(spec),
        order=public(resolved),
        digest=order.digest,
        diamond=__version__,
        code=_code(task, order),
        inputs=inputs_of(order, spec),
        params=public(without_secrets(order.params)),
        seeds=seeds_in({**order.params, **variables}),
        plan=task.prediction.model_dump(mode="json") if task.prediction else None,
        retry_of=task.retry_of or "",
        is_rebuilt=is_rebuilt,
    )
    sealed = {
        "who": task.owner,
        "endpoint": {"id": task.endpoint, "name": task.endpoint_name},
        "project": task.project,
        **_beyond(spec=(spec, body.spec), order=(resolved, body.order)),
    }
    return Draft(kinds.SUBMITTED, task.created, body, sealed)


def inputs_of(order: Order, spec: JsonObject) -> list[InputUsed]:
    """A path says nothing about its content, so it counts as not versioned."""
    named = spec.get("data")
    words = named if isinstance(named, dict) else {}
    trees = [
        InputUsed(name, tree=tree.digest, version=_version(words.get(name)))
        for name, tree in order.trees.items()
    ]
    return [*trees, *(InputUsed(name) for name in order.data)]


def _version(word: JsonValue) -> str:
    return word if isinstance(word, str) and not word.startswith("/") else ""


def _code(task: TaskRow, order: Order) -> CodeUsed | None:
    facts, source = code_facts_from(task.code), order.code or Code()
    if facts is None and order.code is None:
        return None
    return CodeUsed(
        snapshot=source.snapshot,
        git_commit=source.git_commit,
        commit=facts.commit if facts else "",
        is_dirty=facts.dirty if facts else False,
        diff=facts.diff if facts else "",
        files=facts.files if facts else 0,
        bytes=facts.bytes if facts else 0,
    )


def _resolved(task: TaskRow, digest: str, why: str) -> Draft:
    order = without_secrets(task.order_json)
    body = OrderResolved(digest, public(order), why)
    return Draft(kinds.RESOLVED, time.time(), body, _beyond(order=(order, body.order)))


def _beyond(**values: tuple[JsonObject, JsonObject]) -> dict[str, JsonObject]:
    """Whole values whose public form leaves something out."""
    return {name: whole for name, (whole, shown) in values.items() if whole != shown}


def _is_news(before: AttemptRow | None, now: AttemptRow) -> bool:
    return before is None or before.ended is None or before.reason != now.reason


def _attempt(attempt: AttemptRow) -> Draft:
    body = AttemptEnded(
        attempt=attempt.id,
        number=attempt.number,
        reason=attempt.reason,
        queued=attempt.queued,
        started=attempt.started,
        ended=attempt.ended,
        exit_code=attempt.exit_code,
        script=attempt.script,
        runs=[RunEnded(run.run, run.started, run.ended, run.exit_code) for run in attempt.runs],
    )
    nodes = sorted({run.node for run in attempt.runs if run.node})
    sealed = {"nodes": nodes, "native_id": attempt.native_id}
    return Draft(kinds.ATTEMPT, attempt.ended or time.time(), body, sealed)


def _ended(task: TaskRow) -> Draft:
    body = TaskEnded(
        state=task.state,
        reason=task.reason,
        exit_code=task.exit_code,
        signal=task.signal,
        created=task.created,
        started=task.started,
        ended=task.ended,
        attempts=sum(attempt.started is not None for attempt in task.attempts),
        node_hours=task.node_seconds / 3600,
        plan=task.prediction.model_dump(mode="json") if task.prediction else None,
    )
    sealed = {"message": without_secrets(task.message)}
    return Draft(kinds.ENDED, task.ended or time.time(), body, sealed)


async def _rebuild_some(tx: Transaction) -> int:
    old = await tasks_without_record(tx.connection, REBUILT_AT_ONCE)
    additions = []
    for task in old:
        job = await job_store.find_job(tx.connection, task.job)
        additions.append(Addition(task.id, task.owner, whole_life(task, job)))
    await append(tx, additions, known={})
    return len(old)


async def _rebuilt(tx: Transaction, task: TaskRow, drafts: Drafts) -> list[Draft]:
    """What came before `drafts`."""
    job = await job_store.find_job(tx.connection, task.job)
    written = [asdict(draft.body) for draft in drafts]
    return [entry for entry in whole_life(task, job) if asdict(entry.body) not in written]
