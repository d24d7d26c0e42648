"""The verdict on a reproduction, once its task has ended."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pydantic import JsonValue
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.provenance import entries as kinds
from diamond.provenance.bodies import TaskReproduced
from diamond.provenance.causes import Witness, causes
from diamond.provenance.entries import Draft
from diamond.provenance.record import Record
from diamond.provenance.tolerance import from_repeats, parse_tolerances
from diamond.provenance.verdicts import Level, Outcome, Verdict, judge
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import JsonObject
from diamond.service.platform.event_log import News, publish
from diamond.service.platform.packed_metrics import unpack_metrics
from diamond.service.platform.services import Services
from diamond.service.platform.text import clean
from diamond.service.platform.wakeups.notifier import wait
from diamond.service.reproduce import store
from diamond.service.reproduce.recorded import packages_of, record_of
from diamond.service.reproduce.results import Hashed, hash_results
from diamond.service.reproduce.rows import ReproductionRow
from diamond.service.runs.store import metrics_of
from diamond.service.tasks.record_entries import record
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.store import find_task

log = logging.getLogger("diamond.service")
BUSY_SECONDS, IDLE_SECONDS = 1.0, 10.0
PATIENCE_SECONDS = 600.0
"""So long a verdict waits for an endpoint that is away, then it is given on the metrics alone."""
SETTLE_SECONDS = 2.0
"""The last metrics of a run may arrive after its end."""


async def judge_in_background(services: Services) -> None:
    """Several processes may do so: a verdict is saved once."""
    with services.notifier.listen([]) as bell:
        while not services.notifier.closing:
            busy = True
            try:
                busy = await judge_all(services)
            except Exception:
                log.exception("judging reproductions failed; trying again")
            await wait(bell, BUSY_SECONDS if busy else IDLE_SECONDS)


async def judge_all(services: Services) -> bool:
    """Whether any reproduction is open."""
    async with services.store.read() as connection:
        waiting = await store.waiting_for_verdict(connection)
        is_open = bool(waiting) or await store.any_open(connection)
    for row in waiting:
        await _judge(services, row)
    return is_open


async def _judge(services: Services, row: ReproductionRow) -> None:
    async with services.store.read() as connection:
        first = await find_task(connection, row.original)
        second = await find_task(connection, row.task)
    if second is None or first is None:
        return
    if time.time() - (second.ended or 0.0) < SETTLE_SECONDS:
        return
    hashed = await hash_results(services, second)
    if not hashed.is_final and time.time() - (second.ended or 0.0) < PATIENCE_SECONDS:
        return
    before = _stored(row.evidence)
    if before.files is None:  # its endpoint was away or silent when the second run began
        before = await hash_results(services, first)
    files = (before, hashed)
    verdict = await _verdict(services, row.owner, (first, second), files, _tolerance(row))
    await services.store.run(lambda tx: _save(tx, row, first, verdict))


async def judge_two(
    services: Services, reader: str, first: TaskRow, second: TaskRow, tolerance: Sequence[str]
) -> JsonObject:
    """Of two runs that have ended, whatever they were started for. `reader`: who asks."""
    hashed = [await hash_results(services, task) for task in (first, second)]
    return await _verdict(services, reader, (first, second), (hashed[0], hashed[1]), tolerance)


async def _verdict(
    services: Services,
    reader: str,
    runs: tuple[TaskRow, TaskRow],
    hashed: tuple[Hashed, Hashed],
    tolerance: Sequence[str],
) -> JsonObject:
    async with services.store.read() as connection:
        outcomes = [
            await _outcome(connection, task, files)
            for task, files in zip(runs, hashed, strict=True)
        ]
        # Of their own runs alone: a spread must not tell of runs that they may not see.
        repeats = await store.repeats_of(connection, reader, runs[0].digest, but=runs[1].id)
        witnesses = [await _witness(connection, task) for task in runs]
    repeated = [_last_values(metrics) for metrics in repeats]
    bounds = from_repeats(parse_tolerances(tolerance), repeated)
    verdict = judge(outcomes[0], outcomes[1], bounds)
    return _as_json(verdict, witnesses)


def _stored(evidence: Mapping[str, Any]) -> Hashed:
    return Hashed(evidence.get("files"), str(evidence.get("why") or ""))


def _tolerance(row: ReproductionRow) -> list[str]:
    asked = row.asked.get("tolerance")
    return [str(text) for text in asked] if isinstance(asked, list) else []


async def _outcome(connection: AsyncConnection, task: TaskRow, hashed: Hashed) -> Outcome:
    return Outcome(
        state=task.state,
        reason=task.reason,
        files=hashed.files,
        metrics=_last_values(await metrics_of(connection, task.id)),
        why_no_files=hashed.why,
    )


def _last_values(metrics: bytes | None) -> dict[str, float | None]:
    return {name: entry[0] for name, entry in unpack_metrics(metrics).items()}


async def _witness(connection: AsyncConnection, task: TaskRow) -> Witness:
    found = await record_of(connection, task.id)
    packages = await packages_of(connection, task.owner, found)
    return Witness(found, inputs=_inputs(found), packages=packages)


def _inputs(found: Record) -> dict[str, dict[str, str]]:
    """Digests of small data by name, of the last run."""
    by_name: dict[str, dict[str, str]] = {}
    for facts in found.facts:
        for path, digest in facts.inputs.items():
            name, _, rest = path.partition("/")
            by_name.setdefault(name, {})[rest] = digest
    return by_name


def _as_json(verdict: Verdict, witnesses: list[Witness]) -> JsonObject:
    named = [] if verdict.level is Level.IDENTICAL else causes(witnesses[0], witnesses[1])
    data: dict[str, JsonValue] = {
        "level": verdict.level.value,
        "sentence": verdict.sentence,
        "files": [asdict(each) for each in verdict.files],
        "metrics": [asdict(each) for each in verdict.metrics],
        "missing": list(verdict.missing),
        "causes": [
            {"kind": each.kind, "text": each.text, "details": list(each.details)} for each in named
        ],
    }
    cleaned: JsonObject = clean(data)
    return cleaned


async def _save(tx: Transaction, row: ReproductionRow, first: TaskRow, verdict: JsonObject) -> None:
    if not await store.save_verdict(tx, row.task, verdict, time.time()):
        return
    body = TaskReproduced(str(verdict["level"]), [str(verdict["sentence"])])
    draft = Draft(kinds.REPRODUCED, time.time(), body, {"task": row.task})
    await record(tx, [(first, [draft])])
    await publish(tx, row.owner, [News("task", row.task)])
    await publish(tx, first.owner, [News("task", first.id)])
