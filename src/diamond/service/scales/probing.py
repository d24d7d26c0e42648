"""Carries scales on: looks at probes, ends those that have told enough, starts the next, and draws the conclusion.

Everything is in the database, and each look is one transaction on one version of the row: it may be repeated, or made
by two processes at once.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.compose.spec_check import check
from diamond.core.errors import DiamondError
from diamond.core.task import FINAL_WORDS
from diamond.planning.budget import NodeUsage, may_start, parse_budget
from diamond.planning.probe_runs import OPEN, ProbeState, judge_probe, startable_probes
from diamond.planning.step_times import Point
from diamond.planning.tuning import TuningRun, gains
from diamond.service.access.principal import Principal
from diamond.service.composer.compose import known_images
from diamond.service.endpoints.store import endpoint_by_id
from diamond.service.images.image_requests import endpoint_facts
from diamond.service.jobs.auto_release import release_waiting
from diamond.service.jobs.submit import add_run_task
from diamond.service.output import metric_store as metrics
from diamond.service.output.metrics import TRAINING
from diamond.service.planning import scale_store as rows
from diamond.service.planning.advice import advice_of, curve_of, first_words, waits_by_nodes
from diamond.service.planning.rows import ScaleRow
from diamond.service.planning.scale_probes import probe_order
from diamond.service.planning.scales import find_scale, show_scale
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import Row
from diamond.service.platform.event_log import News, publish
from diamond.service.platform.services import Services
from diamond.service.tasks import job_store as job_rows
from diamond.service.tasks.store import find_task, tasks_by_id
from diamond.service.tasks.tasks import end_task

SCALE = "its scale: enough was measured"
Found = dict[str, Any]


async def advance_all(services: Services) -> bool:
    """Whether any scale is still open."""
    async with services.store.read() as connection:
        found = await rows.open_scales(connection)
    for scale in found:
        await services.store.run(lambda tx, scale=scale: advance(tx, scale))  # type: ignore[misc]
    return bool(found)


async def advance(tx: Transaction, scale: str) -> None:
    """One look: what can be done now is done."""
    row = await rows.find_scale(tx.connection, scale)
    if row is None or row["state"] != rows.RUNNING:
        return
    if await _nobody_waits(tx.connection, row):
        await call_off(tx, row, "the task that waited for it has ended")
        return
    probes: list[Found] = copy.deepcopy(row["probes"])
    await _look(tx, row, probes)
    await _start(tx, row, probes)
    changes = {"probes": probes, **await _conclusion(tx.connection, row, probes)}
    if any(row[name] != value for name, value in changes.items()):
        await _save(tx, row, changes)


async def call_off(tx: Transaction, row: ScaleRow, why: str) -> ScaleRow:
    probes: list[Found] = copy.deepcopy(row["probes"])
    for probe in probes:
        if probe["state"] in OPEN:
            probe.update(state=ProbeState.SKIPPED.value, words=why)
    tasks = await tasks_by_id(tx.connection, _begun(probes))
    for task in tasks.values():
        await end_task(tx, task, by=why)
    ended = {"state": rows.CANCELLED, "message": why, "ended": time.time(), "probes": probes}
    return await _save(tx, row, ended)


async def logged_points(connection: AsyncConnection, task: str) -> list[Point]:
    """(step, time) of the longest curve: most programs log one at every step."""
    series = await metrics.series_of(connection, [task], TRAINING)
    curves = await metrics.curves_of(connection, [one["id"] for one in series])
    longest = max(curves.values(), key=len, default=None)
    if longest is None:
        return []
    known = zip(longest.steps, longest.times, strict=True)
    return [(step, at) for step, at in known if step == step and at == at]


async def _save(tx: Transaction, row: ScaleRow, changes: Found) -> ScaleRow:
    saved = await rows.save_scale(tx, row, changes)
    if saved["state"] != rows.RUNNING and saved["for_task"]:
        await release_waiting(tx, saved)
    await publish(tx, row["owner"], [News("scale", row["id"])])
    return saved


async def _nobody_waits(connection: AsyncConnection, row: Row) -> bool:
    """A scale that a task with `nodes: auto` began is for that task alone."""
    task = await find_task(connection, row["for_task"]) if row["for_task"] else None
    return task is not None and task["state"] in FINAL_WORDS


async def _look(tx: Transaction, row: Row, probes: list[Found]) -> None:
    tasks = await tasks_by_id(tx.connection, _begun(probes))
    for probe in probes:
        task = tasks.get(probe["task"])
        if task is None or probe["is_over"]:
            continue
        if probe["state"] == ProbeState.RUNNING.value:
            _judge(probe, task, await logged_points(tx.connection, task["id"]), row["wanted"])
        if probe["state"] == ProbeState.MEASURED.value:
            await end_task(tx, task, by=SCALE)
        if task["state"] in FINAL_WORDS:
            probe.update(is_over=True, used_seconds=_used(task))
    if row["kind"] == "nodes":
        _weigh(probes)


def _judge(probe: Found, task: Row, points: list[Point], wanted: Mapping[str, Any]) -> None:
    has_ended = task["state"] in FINAL_WORDS
    why = (task["message"] or task["reason"]) if task["state"] != "succeeded" else ""
    found = judge_probe(points, wanted["steps"], has_ended=has_ended, why=why)
    pace = found.measured.step_seconds
    probe.update(state=found.state.value, steps=round(found.measured.steps), words=found.words)
    if pace is not None:
        probe.update(step_seconds=pace, throughput=probe["samples_per_step"] / pace)


def _weigh(probes: list[Found]) -> None:
    for point in curve_of(probes):
        for probe in probes:
            if probe["nodes"] == point.nodes:
                probe["efficiency"] = point.efficiency


def _used(task: Row) -> float:
    if task["started"] is None:
        return 0.0
    return float(max(0.0, (task["ended"] or time.time()) - task["started"]))


async def _start(tx: Transaction, row: Row, probes: list[Found]) -> None:
    for at in startable_probes(
        [_standing(one) for one in probes], together=row["wanted"]["together"]
    ):
        probe = probes[at]
        words = _over_budget(row, probes, probe)
        if words:
            probe.update(state=ProbeState.SKIPPED.value, words=words)
            continue
        try:
            probe.update(state=ProbeState.RUNNING.value, task=await _begin(tx, row, probe))
        except DiamondError as error:
            words = " ".join(one for one in (error.message, error.hint) if one)
            probe.update(state=ProbeState.FAILED.value, words=words)


def _standing(probe: Found) -> str:
    """One that is measured holds its nodes until it has ended."""
    holds = probe["task"] and not probe["is_over"]
    return ProbeState.RUNNING.value if holds else str(probe["state"])


def _over_budget(row: Row, probes: list[Found], probe: Found) -> str:
    """Why it may not start; empty where it may, also if all that runs uses its whole limit.

    One attempt of a task that waits for the answer must fit beside its probes.
    """
    wanted = row["wanted"]
    if not wanted["budget"]:
        return ""
    begun = [one for one in probes if one["task"]]
    waiting = [NodeUsage(1, 60.0 * wanted.get("minutes", 0))] if row["for_task"] else []
    spent = [NodeUsage(one["nodes"], one["used_seconds"]) for one in begun if one["is_over"]]
    committed = [_limit(one) for one in begun if not one["is_over"]]
    verdict = may_start(
        parse_budget(str(wanted["budget"])),
        _limit(probe),
        spent=spent,
        committed=[*committed, *waiting],
        units_per_node_hour=wanted["rate"],
    )
    return "" if verdict.may_start else verdict.words.replace("attempt", "probe")


def _limit(probe: Found) -> NodeUsage:
    return NodeUsage(probe["nodes"], 60.0 * probe["minutes"])


async def _begin(tx: Transaction, row: Row, probe: Found) -> str:
    """The id of its task. The spec is checked again: the site may have changed since."""
    endpoint = await endpoint_by_id(tx.connection, row["endpoint"])
    job = await job_rows.find_job(tx.connection, row["job"])
    if endpoint is None or job is None:
        raise DiamondError(f"Endpoint {row['endpoint_name']} is no longer there")
    images = await known_images(tx.connection, row["owner"], probe["spec"], [endpoint])
    facts = [endpoint_facts(endpoint)]
    composed = check(probe["spec"], endpoints=facts, code=job["code"], images=images)
    order = probe_order(composed.order, is_counted=bool(row["wanted"]["budget"]))
    composed = replace(composed, order=order)
    named = replace(job, name=f"{job.name} ({probe['label']})", digest=composed.order.digest)
    task = await add_run_task(tx, endpoint, named, composed, kind="probe")
    return task.id


async def _conclusion(connection: AsyncConnection, row: Row, probes: list[Found]) -> Found:
    """The end, once no probe is open; nothing before."""
    if any(probe["state"] in OPEN for probe in probes):
        return {}
    try:
        if row["kind"] == "nodes":
            waits = await waits_by_nodes(connection, row)
            advice = advice_of(row, probes, waits=waits)
            result, words = {"advice": advice}, advice["words"]
        else:
            result, words = _gains(probes)
    except DiamondError as error:
        message = f"{error.message}. {error.hint}"
        return {"state": rows.FAILED, "message": message, "ended": time.time()}
    return {"state": rows.DONE, "message": words, "result": result, "ended": time.time()}


def _gains(probes: list[Found]) -> tuple[Found, str]:
    as_is, *others = probes
    if as_is["state"] != ProbeState.MEASURED.value:
        raise DiamondError("The spec as it is told no pace", first_words(probes))
    tried = [
        TuningRun(one["label"], one["throughput"] or 0.0, _problem(one))
        for one in others
        if one["state"] != ProbeState.SKIPPED.value
    ]
    found = gains(as_is["throughput"], tried)
    helping = [one.words for one in found if one.helps]
    words = "; ".join(helping) or "Nothing that was tried is faster than the spec as it is"
    return {"gains": [asdict(one) for one in found]}, words


def _problem(probe: Found) -> str:
    return str(probe["words"]) if probe["state"] == ProbeState.FAILED.value else ""


def _begun(probes: list[Found]) -> set[str]:
    return {probe["task"] for probe in probes if probe["task"]}


async def cancel_scale(services: Services, principal: Principal, scale: str) -> dict[str, Any]:
    """Its probes end; one that is over stays as it is."""

    async def cancel(tx: Transaction) -> dict[str, Any]:
        row = await find_scale(tx.connection, principal, scale)
        if row["state"] != rows.RUNNING:
            return show_scale(row)
        return show_scale(await call_off(tx, row, f"called off by {principal.name}"))

    return await services.store.run(cancel)
