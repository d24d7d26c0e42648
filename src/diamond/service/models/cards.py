"""The card of a model: as somebody wrote it, else written from the record."""

from __future__ import annotations

import time

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.artifacts import PREFIX
from diamond.core.errors import NotFound
from diamond.core.order import Order, order_from
from diamond.service.access.principal import Principal
from diamond.service.models.card_text import CardFacts, RunFacts, write_card
from diamond.service.models.curve_picture import draw_curves
from diamond.service.models.rows import ModelRow, VersionRow
from diamond.service.models.schemas import ModelCard
from diamond.service.models.views import find_model_version
from diamond.service.platform.services import Services
from diamond.service.tasks import job_store
from diamond.service.tasks import store as task_store
from diamond.service.tasks.rows import JobRow, TaskRow

NOT_VERSIONED = "a path on the endpoint, not versioned"
"""The path itself is not for everybody who may see the model."""
LONGEST = 200
"""Letters of a parameter on a card."""


async def get_card(services: Services, principal: Principal, text: str) -> ModelCard:
    async with services.store.read() as connection:
        model, version = await find_model_version(connection, principal, text)
        if model.card:
            return ModelCard(text=model.card, is_edited=True)
        return ModelCard(text=await written_card(connection, model, version), is_edited=False)


async def get_curves(services: Services, principal: Principal, text: str) -> str:
    """The curves of the run that made a version, as SVG."""
    async with services.store.read() as connection:
        model, version = await find_model_version(connection, principal, text)
    picture = draw_curves(version.curves)
    if not picture:
        raise NotFound(
            f"{model.name}@v{version.number} has no curves", "The run that made it logged none."
        )
    return picture


async def written_card(connection: AsyncConnection, model: ModelRow, version: VersionRow) -> str:
    task = await task_store.find_task(connection, version.task) if version.task else None
    job = await job_store.find_job(connection, task.job) if task else None
    facts = CardFacts(
        name=model.name,
        number=version.number,
        digest=PREFIX + version.tree,
        size=version.size,
        files=version.files,
        format=version.format,
        description=model.description,
        license=model.license,
        intended_use=model.intended_use,
        tags=model.tags,
        metrics=version.metrics,
        picture="curves.svg" if any(version.curves.values()) else "",
        run=_run_facts(task, _data(task, job)) if task else None,
    )
    return write_card(facts)


def _data(task: TaskRow, job: JobRow | None) -> dict[str, str]:
    """Each input by name: the version as it was named, with its digest."""
    given = job.spec.get("data") if job else None
    named: dict[str, str] = {}
    for name, tree in task.order.trees.items():
        value = given.get(name) if isinstance(given, dict) else None
        text = value.get("dataset") if isinstance(value, dict) else value
        # A name may hold the id of who shares it; behind the last slash it is for everybody.
        called = f"{str(text).rpartition('/')[2]}, " if text else ""
        named[name] = f"{called}{PREFIX}{tree.digest[:12]}…"
    return {**named, **dict.fromkeys(task.order.data, NOT_VERSIONED)}


def _run_facts(task: TaskRow, data: dict[str, str]) -> RunFacts:
    order = order_from(task.order_json)
    ended = time.strftime("%Y-%m-%d", time.gmtime(task.ended)) if task.ended else "not yet"
    return RunFacts(
        task=task.id,
        name=task.name,
        command=order.program.text,
        endpoint=task.endpoint_name,
        ended=ended,
        code=_code(order),
        image=_environment(order),
        data=data,
        params={name: str(value)[:LONGEST] for name, value in order.params.items()},
        node_hours=task.node_seconds / 3600,
    )


def _code(order: Order) -> str:
    code = order.code
    if code is None:
        return "none"
    return f"{code.git_url}@{code.git_commit}" if code.git_url else code.snapshot


def _environment(order: Order) -> str:
    if order.image is not None:
        return order.image.sha256 or order.image.identity
    packages = order.environment.requirements if order.environment else []
    return ", ".join(packages) if packages else "the machine's own Python"
