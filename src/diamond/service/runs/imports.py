"""Runs of MLflow and W&B as read-only rows of the table. The reader of their files is on the side of the person (sdk/importing)."""

from __future__ import annotations

import hashlib
import time

from diamond.core import ids
from diamond.core.errors import BadRequest, NotFound
from diamond.core.order import canonical
from diamond.service.access.authorize import Action
from diamond.service.access.principal import Principal, Role
from diamond.service.output.curves import Curve
from diamond.service.output.metric_summary import curve_summary
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.packed_metrics import pack_metrics
from diamond.service.platform.services import Services
from diamond.service.platform.text import clean
from diamond.service.projects.projects import find_project
from diamond.service.runs import imported_store as store
from diamond.service.runs.rows import ImportedRow
from diamond.service.runs.schemas import (
    ImportedCurve,
    ImportedCurves,
    ImportedRun,
    ImportedRunBody,
)

MOST_POINTS = 20_000
"""Of all curves of a run: the reader thins longer ones."""


async def import_run(
    services: Services, principal: Principal, body: ImportedRunBody
) -> ImportedRun:
    count = sum(len(points) for points in body.curves.values())
    if count > MOST_POINTS * 10:
        raise BadRequest(f"{count} points: at most {MOST_POINTS * 10} in one run", "Thin them.")
    digest = "sha256:" + hashlib.sha256(canonical(body.model_dump(mode="json"))).hexdigest()
    curves = {clean(name): _curve(points) for name, points in body.curves.items()}

    async def put(tx: Transaction) -> ImportedRun:
        project = ""
        if body.project:
            found = await find_project(tx.connection, principal, body.project, Role.MEMBER)
            project = found.id
        known = await store.known_import(tx.connection, principal.user, body.source, body.key)
        if known is not None and (known.digest, known.project) == (digest, project):
            return _shown(known, is_new=False)
        row = _row(body, principal.user, project, digest, known.id if known else "", curves)
        await store.put_imported(tx, row, curves)
        return _shown(row)

    return await services.store.run(put)


async def get_imported(services: Services, principal: Principal, run: str) -> ImportedRun:
    async with services.store.read() as connection:
        return _shown(_there(await store.find_imported(connection, principal, run), run))


async def imported_curves(services: Services, principal: Principal, run: str) -> ImportedCurves:
    async with services.store.read() as connection:
        row = _there(await store.find_imported(connection, principal, run), run)
        curves = await store.curves_of_imported(connection, row.id)
    return ImportedCurves(
        items=[
            ImportedCurve(name=name, points=[curve.at(n) for n in range(len(curve))])
            for name, curve in curves.items()
        ]
    )


async def remove_imported(services: Services, principal: Principal, run: str) -> None:
    async def remove(tx: Transaction) -> None:
        found = await store.find_imported(tx.connection, principal, run, Action.WRITE)
        await store.drop_imported(tx, _there(found, run).id)

    await services.store.run(remove)


def _there(row: ImportedRow | None, run: str) -> ImportedRow:
    if row is None:
        raise NotFound(f"There is no imported run {run!r}", "`diamond runs` lists what there is.")
    return row


def _curve(points: list[tuple[float | None, float | None, float | None]]) -> Curve:
    curve = Curve()
    curve.add(points)
    return curve


def _row(
    body: ImportedRunBody,
    owner: str,
    project: str,
    digest: str,
    known: str,
    curves: dict[str, Curve],
) -> ImportedRow:
    facts = {"params": body.params, "data": body.data, "commit": body.commit}
    return ImportedRow(
        id=known or ids.new_id(ids.IMPORTED_RUN),
        owner=owner,
        project=project,
        source=body.source,
        key=clean(body.key),
        name=clean(body.name),
        experiment=clean(body.experiment),
        state=body.state,
        tags=clean(body.tags),
        created=body.created,
        started=body.started,
        ended=body.ended,
        facts=clean({name: value for name, value in facts.items() if value}),
        metrics=pack_metrics(curve_summary(curves.items())),
        digest=digest,
        imported=time.time(),
    )


def _shown(row: ImportedRow, *, is_new: bool = True) -> ImportedRun:
    facts = {"params": {}, "data": {}, **row.facts}
    return ImportedRun.model_validate({**facts, **vars(row), "is_new": is_new})
