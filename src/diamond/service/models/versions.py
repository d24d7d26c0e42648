"""New versions: a result of a run, or files that were pushed, under a name."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import BadRequest
from diamond.core.references import read_reference
from diamond.service.access.authorize import Action, require
from diamond.service.access.principal import Principal
from diamond.service.models import store
from diamond.service.models.curve_picture import MOST_CHARTS
from diamond.service.models.limits import require_fits_shares
from diamond.service.models.models import new_model
from diamond.service.models.rows import ModelRow, PushRow, VersionRow
from diamond.service.models.safety import secure
from diamond.service.models.schemas import ModelVersion, NewModel, NewVersion
from diamond.service.models.views import find_model, show_versions
from diamond.service.output.archive import final_metrics
from diamond.service.output.metrics import small_curves
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import JsonObject
from diamond.service.platform.event_log import changed, publish
from diamond.service.platform.services import Services
from diamond.service.results.results import find_ready
from diamond.service.trees.rows import TreeRow
from diamond.service.trees.trees import find_tree

MOST_METRICS = 50
CURVE_POINTS = 80
"""Of a curve on a card."""


@dataclass(frozen=True)
class Source:
    """Where the files of a version come from."""

    tree: TreeRow
    task: str | None
    result: str
    format: str
    signature: JsonObject
    metrics: dict[str, float]
    curves: dict[str, list[list[float]]] = field(default_factory=dict)


async def add_version(
    services: Services, principal: Principal, model: str, body: NewVersion
) -> ModelVersion:
    async def add(tx: Transaction) -> tuple[ModelVersion, VersionRow]:
        row = await own_model(tx, principal, model)
        source = await _source(tx.connection, principal, body)
        version = await _known(tx.connection, row, source)
        if version is None:
            await require_fits_shares(tx.connection, row, source.tree.digest)
            version = await _add(tx, row, source, note=body.note, tags=body.tags)
        return (await show_versions(tx.connection, row, [version]))[0], version

    shown, version = await services.store.run(add)
    await secure(services, version)
    return shown


async def own_model(tx: Transaction, principal: Principal, text: str) -> ModelRow:
    """The one of this name; a new one if there is none."""
    reference = read_reference(text)
    if reference.owner or not reference.is_newest:
        raise BadRequest(f"{text!r} is not a name for a new version", "Give the name alone: digits")
    known = await store.find_model(tx.connection, principal.user, reference.name)
    by_id = await store.model_by_id(tx.connection, reference.name)
    if known is None and by_id is not None and by_id.owner == principal.user:
        known = await find_model(tx.connection, principal, text, Action.WRITE)
    return known or await new_model(tx, principal, NewModel(name=reference.name))


async def _source(connection: AsyncConnection, principal: Principal, body: NewVersion) -> Source:
    if bool(body.task) == bool(body.digest):
        raise BadRequest(
            "Name either a task or a digest", "For example: diamond model add digits TASK"
        )
    if body.digest:
        tree = await find_tree(connection, principal.user, body.digest)
        return Source(tree, None, "", body.format, {}, {})
    task, result = await find_ready(connection, principal, body.task, body.result)
    require(principal, Action.WRITE, owner=task.owner, what="task")
    tree = await find_tree(connection, task.owner, result.tree)
    metrics = await final_metrics(connection, task.id)
    last = {name: metric.last for name, metric in list(metrics.items())[:MOST_METRICS]}
    curves = await small_curves(connection, task.id, most=MOST_CHARTS, points=CURVE_POINTS)
    format = body.format or result.format
    return Source(tree, task.id, result.name, format, result.signature, last, curves)


async def _known(connection: AsyncConnection, model: ModelRow, source: Source) -> VersionRow | None:
    """The newest version, if it is these files of this run already: asking twice is fine."""
    same = await store.versions_by_digest(connection, model.id, source.tree.digest)
    newest = same[0] if same else None
    is_newest = newest is not None and newest.number == model.newest
    return newest if newest and is_newest and newest.task == source.task else None


async def version_of_tree(tx: Transaction, model: ModelRow, tree: TreeRow, push: PushRow) -> int:
    """What was pushed, as a version; the same files again are the same version."""
    source = Source(tree, None, "", push.format, push.signature, {})
    known = await _known(tx.connection, model, source)
    version = known or await _add(tx, model, source, note=push.note, tags=push.tags)
    return version.number


async def _add(
    tx: Transaction, model: ModelRow, source: Source, *, note: str, tags: Sequence[str]
) -> VersionRow:
    now = time.time()
    version = VersionRow(
        model=model.id,
        number=model.newest + 1,
        owner=model.owner,
        tree=source.tree.digest,
        size=source.tree.size,
        files=source.tree.files,
        task=source.task,
        result=source.result,
        format=source.format,
        signature=source.signature,
        metrics=source.metrics,
        curves=source.curves,
        note=note,
        tags=tuple(tags),
        created=now,
        created_by=model.owner,
    )
    await store.add_version(tx, version)
    await store.change_model(tx, model.id, newest=version.number, updated=now)
    await publish(tx, model.owner, [changed("models")])
    return version
