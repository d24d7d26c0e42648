"""Runs scales: reads what probes have logged, ends those that are measured, starts the next, and concludes.

Everything is in the database, and each step is one transaction on one version of the row: it may be repeated, or taken
by two processes at once.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import DiamondError
from diamond.core.task import FINAL_WORDS
from diamond.planning.budget import NodeUsage, may_start, parse_budget
from diamond.planning.probe_runs import OPEN, ProbeState, judge_probe, startable_probes
from diamond.planning.step_times import Point
from diamond.planning.tuning import Gain, TuningRun, gains
from diamond.service.access.principal import Principal
from diamond.service.composer.compose import composer_among
from diamond.service.endpoints.store import endpoint_by_id
from diamond.service.jobs.release import release_waiting
from diamond.service.jobs.submit import add_run_task
from diamond.service.output import metric_store
from diamond.service.output.metrics import TRAINING
from diamond.service.planning import scale_store
from diamond.service.planning.advice import advice_of, curve_of, first_message, waits_by_nodes
from diamond.service.planning.rows import ProbeRow, ScaleResult, ScaleRow
from diamond.service.planning.scale_probes import probe_order
from diamond.service.planning.scale_schemas import Scale
from diamond.service.planning.scales import find_scale, show_scale
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import News, publish
from diamond.service.platform.separately import separately
from diamond.service.platform.services import Services
from diamond.service.tasks import job_store
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.store import find_task, tasks_by_id
from diamond.service.tasks.tasks import end_task

MEASURED = "its scale: enough was measured"
Probes = tuple[ProbeRow, ...]


async def advance_all(services: Services) -> bool:
    """Whether any scale is still open."""
    async with services.store.read() as connection:
        scales = await scale_store.open_scales(connection)
    await separately(scales, partial(_advance_in_transaction, services), "advancing a scale")
    return bool(scales)


async def _advance_in_transaction(services: Services, scale: str) -> None:
    await services.store.run(lambda tx: advance(tx, scale))


async def advance(tx: Transaction, scale: str) -> None:
    """Do what can be done now."""
    row = await scale_store.find_scale(tx.connection, scale)
    if row is None or row.state != scale_store.RUNNING:
        return
    if await _nobody_waits(tx.connection, row):
        await stop_scale(tx, row, "the task that waited for it has ended")
        return
    probes = await _measure(tx, row)
    probes = await _start(tx, row, probes)
    advanced = await _conclude(tx.connection, replace(row, probes=probes))
    if advanced != row:
        await _save(tx, advanced)


async def stop_scale(tx: Transaction, row: ScaleRow, why: str) -> ScaleRow:
    """End its probes, and skip those that have not started."""
    probes = tuple(
        replace(probe, state=ProbeState.SKIPPED.value, words=why) if probe.state in OPEN else probe
        for probe in row.probes
    )
    for task in (await tasks_by_id(tx.connection, _started(probes))).values():
        await end_task(tx, task, by=why)
    ended = replace(row, state=scale_store.CANCELLED, message=why, ended=time.time(), probes=probes)
    return await _save(tx, ended)


async def cancel_scale(services: Services, principal: Principal, scale: str) -> Scale:
    """Its probes end; one that is over stays as it is."""

    async def cancel(tx: Transaction) -> Scale:
        row = await find_scale(tx.connection, principal, scale)
        if row.state == scale_store.RUNNING:
            row = await stop_scale(tx, row, f"cancelled by {principal.name}")
        return show_scale(row)

    return await services.store.run(cancel)


async def logged_points(connection: AsyncConnection, task: str) -> list[Point]:
    """(step, time) of the longest curve: most programs log one at every step."""
    series = await metric_store.series_of(connection, [task], TRAINING)
    curves = await metric_store.curves_of(connection, [row.id for row in series])
    longest = max(curves.values(), key=len, default=None)
    if longest is None:
        return []
    known = zip(longest.steps, longest.times, strict=True)
    return [(step, at) for step, at in known if step == step and at == at]


async def _save(tx: Transaction, row: ScaleRow) -> ScaleRow:
    saved = await scale_store.save_scale(tx, row)
    if saved.state != scale_store.RUNNING and saved.for_task:
        await release_waiting(tx, saved)
    await publish(tx, row.owner, [News("scale", row.id)])
    return saved


async def _nobody_waits(connection: AsyncConnection, row: ScaleRow) -> bool:
    """A scale that a task with `nodes: auto` started is for that task alone."""
    task = await find_task(connection, row.for_task) if row.for_task else None
    return task is not None and task.state in FINAL_WORDS


async def _measure(tx: Transaction, row: ScaleRow) -> Probes:
    tasks = await tasks_by_id(tx.connection, _started(row.probes))
    probes = []
    for probe in row.probes:
        task = tasks.get(probe.task)
        if task is None or probe.is_over:
            probes.append(probe)
        else:
            probes.append(await _measure_probe(tx, probe, task, row.settings.steps))
    return _with_efficiency(probes) if row.kind == "nodes" else tuple(probes)


async def _measure_probe(tx: Transaction, probe: ProbeRow, task: TaskRow, steps: int) -> ProbeRow:
    if probe.state == ProbeState.RUNNING.value:
        probe = _judge(probe, task, await logged_points(tx.connection, task.id), steps)
    if probe.is_measured:
        await end_task(tx, task, by=MEASURED)
    if task.state in FINAL_WORDS:
        probe = replace(probe, is_over=True, used_seconds=_used_seconds(task))
    return probe


def _judge(probe: ProbeRow, task: TaskRow, points: list[Point], steps: int) -> ProbeRow:
    has_ended = task.state in FINAL_WORDS
    why = (task.message or task.reason) if task.state != "succeeded" else ""
    verdict = judge_probe(points, steps, has_ended=has_ended, why=why)
    pace = verdict.measured.step_seconds
    judged = replace(
        probe,
        state=verdict.state.value,
        steps=round(verdict.measured.steps),
        words=verdict.words,
    )
    if pace is None:
        return judged
    return replace(judged, step_seconds=pace, throughput=probe.samples_per_step / pace)


def _with_efficiency(probes: Sequence[ProbeRow]) -> Probes:
    efficiencies = {point.nodes: point.efficiency for point in curve_of(probes)}
    return tuple(
        replace(probe, efficiency=efficiencies.get(probe.nodes, probe.efficiency))
        for probe in probes
    )


def _used_seconds(task: TaskRow) -> float:
    if task.started is None:
        return 0.0
    return max(0.0, (task.ended or time.time()) - task.started)


async def _start(tx: Transaction, row: ScaleRow, probes: Probes) -> Probes:
    started = list(probes)
    states = [_state_with_nodes(probe) for probe in probes]
    for index in startable_probes(states, together=row.settings.together):
        started[index] = await _start_probe(tx, row, started, started[index])
    return tuple(started)


async def _start_probe(
    tx: Transaction, row: ScaleRow, probes: Sequence[ProbeRow], probe: ProbeRow
) -> ProbeRow:
    over_budget = _over_budget(row, probes, probe)
    if over_budget:
        return replace(probe, state=ProbeState.SKIPPED.value, words=over_budget)
    try:
        task = await _submit_probe(tx, row, probe)
    except DiamondError as error:
        message = " ".join(part for part in (error.message, error.hint) if part)
        return replace(probe, state=ProbeState.FAILED.value, words=message)
    return replace(probe, state=ProbeState.RUNNING.value, task=task)


def _state_with_nodes(probe: ProbeRow) -> str:
    """One that is measured keeps its nodes until it has ended."""
    has_nodes = probe.is_started and not probe.is_over
    return ProbeState.RUNNING.value if has_nodes else probe.state


def _over_budget(row: ScaleRow, probes: Sequence[ProbeRow], probe: ProbeRow) -> str:
    """Why it may not start; empty where it may, even if all that runs uses its whole limit.

    One attempt of a task that waits for the answer must fit beside its probes.
    """
    settings = row.settings
    if not settings.budget:
        return ""
    started = [other for other in probes if other.is_started]
    waiting = [NodeUsage(1, 60.0 * settings.minutes)] if row.for_task else []
    spent = [
        NodeUsage(other.nodes, other.used_seconds or 0.0) for other in started if other.is_over
    ]
    committed = [_limit(other) for other in started if not other.is_over]
    verdict = may_start(
        parse_budget(settings.budget),
        _limit(probe),
        spent=spent,
        committed=[*committed, *waiting],
        units_per_node_hour=settings.rate,
    )
    return "" if verdict.may_start else verdict.words.replace("attempt", "probe")


def _limit(probe: ProbeRow) -> NodeUsage:
    return NodeUsage(probe.nodes, 60.0 * probe.minutes)


async def _submit_probe(tx: Transaction, row: ScaleRow, probe: ProbeRow) -> str:
    """The id of its task. The spec is composed again: the site may have changed since the scale was planned."""
    endpoint = await endpoint_by_id(tx.connection, row.endpoint)
    job = await job_store.find_job(tx.connection, row.job)
    if endpoint is None or job is None:
        raise DiamondError(f"Endpoint {row.endpoint_name} has been removed")
    composer = await composer_among(tx.connection, row.owner, probe.spec, job.code, [endpoint])
    composed = composer.compose(probe.spec)
    order = probe_order(composed.order, is_counted=bool(row.settings.budget))
    named = replace(job, name=f"{job.name} ({probe.label})", digest=order.digest)
    task = await add_run_task(tx, endpoint, named, replace(composed, order=order), kind="probe")
    return task.id


async def _conclude(connection: AsyncConnection, row: ScaleRow) -> ScaleRow:
    """The same row while a probe is open; else with its end."""
    if any(probe.state in OPEN for probe in row.probes):
        return row
    now = time.time()
    try:
        result, message = await _result(connection, row)
    except DiamondError as error:
        message = f"{error.message}. {error.hint}"
        return replace(row, state=scale_store.FAILED, message=message, ended=now)
    return replace(row, state=scale_store.DONE, message=message, result=result, ended=now)


async def _result(connection: AsyncConnection, row: ScaleRow) -> tuple[ScaleResult, str]:
    """With the message that says it in one sentence."""
    if row.kind == "nodes":
        waits = await waits_by_nodes(connection, row)
        advice = advice_of(row.settings, row.probes, waits=waits)
        return ScaleResult(advice=advice), advice.words
    gained = _gains(row.probes)
    helpful = [gain.words for gain in gained if gain.helps]
    message = "; ".join(helpful) or "No setting that was tried is faster than the spec as it is"
    return ScaleResult(gains=tuple(gained)), message


def _gains(probes: Probes) -> list[Gain]:
    as_is, *others = probes
    if not as_is.is_measured or as_is.throughput is None:
        raise DiamondError("The spec as it is was not measured", first_message(probes))
    tried = [
        TuningRun(probe.label, probe.throughput or 0.0, _problem(probe))
        for probe in others
        if not probe.is_skipped
    ]
    return gains(as_is.throughput, tried)


def _problem(probe: ProbeRow) -> str:
    return probe.words if probe.state == ProbeState.FAILED.value else ""


def _started(probes: Sequence[ProbeRow]) -> set[str]:
    return {probe.task for probe in probes if probe.is_started}
