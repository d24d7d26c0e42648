"""A job that continues from a version: the spec of the run that made it, with the version as its data."""

from __future__ import annotations

from typing import Any

from diamond.compose.data import MODEL_PREFIX
from diamond.core.errors import NotFound
from diamond.service.access.principal import Principal
from diamond.service.code.schemas import CodeFacts
from diamond.service.models.rows import ModelRow, VersionRow
from diamond.service.models.schemas import Tuning
from diamond.service.models.views import find_model_version
from diamond.service.platform.services import Services
from diamond.service.tasks import job_store
from diamond.service.tasks.rows import JobRow
from diamond.service.tasks.tasks import find_task

WEIGHTS = "weights"
"""The name under which the program finds it: $DIAMOND_DATA/weights."""


async def tuning_of(services: Services, principal: Principal, text: str) -> Tuning:
    async with services.store.read() as connection:
        model, version = await find_model_version(connection, principal, text)
        job = None
        if version.task:
            try:
                task = await find_task(connection, principal, version.task)
                job = await job_store.find_job(connection, task.job)
            except NotFound:
                job = None  # who may read a model need not see the run that made it
    reference = _reference(principal, model, version)
    return Tuning(
        spec=_spec(model, job, reference),
        code=CodeFacts.model_validate(job.code) if job and job.code else None,
        task=version.task if job else None,
        reference=reference,
    )


def _reference(principal: Principal, model: ModelRow, version: VersionRow) -> str:
    owner = "" if model.owner == principal.user else f"{model.owner}/"
    return f"{MODEL_PREFIX}{owner}{model.name}@v{version.number}"


def _spec(model: ModelRow, job: JobRow | None, reference: str) -> dict[str, Any]:
    spec = dict(job.spec) if job else {}
    data = {**(spec.get("data") or {}), WEIGHTS: reference}
    return {**spec, "name": f"{model.name}-tuned", "data": data}
