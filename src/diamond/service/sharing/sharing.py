"""Share one thing with people, projects or everyone on this Diamond, for reading."""

from __future__ import annotations

import time

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import NotFound
from diamond.service.access.authorize import Action, require
from diamond.service.access.principal import Principal
from diamond.service.datasets.find import find_dataset
from diamond.service.datasets.limits import require_shareable_dataset
from diamond.service.datasets.rows import DatasetRow
from diamond.service.endpoints.endpoints import find_endpoint
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.images.rows import ImageRow
from diamond.service.images.views import find_image
from diamond.service.models.limits import require_shareable_model
from diamond.service.models.rows import ModelRow
from diamond.service.models.views import find_model
from diamond.service.people.shares import (
    DATASET,
    EVERYONE,
    IMAGE,
    JOB,
    MODEL,
    PIPELINE,
    PROFILE,
    PROJECT,
)
from diamond.service.pipelines.find import find_pipeline
from diamond.service.pipelines.rows import PipelineRow
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.services import Services
from diamond.service.projects import store as project_store
from diamond.service.projects.projects import find_project
from diamond.service.projects.rows import ShareRow
from diamond.service.projects.schemas import Share, SharedThing
from diamond.service.projects.terms import project_terms
from diamond.service.projects.visibility import find_person, visible
from diamond.service.sharing.notify import notify_of_share
from diamond.service.tasks import job_store
from diamond.service.tasks.bound_work import require_free, require_sharable, require_welcome
from diamond.service.tasks.rows import JobRow


async def list_shares(
    services: Services, principal: Principal, kind: str, thing: str
) -> list[Share]:
    async with services.store.read() as connection:
        own = await _find_own(connection, principal, kind, thing)
        shares = await project_store.list_shares(connection, kind, own.id)
    return [Share.model_validate(share, from_attributes=True) for share in shares]


async def shared_with_me(services: Services, principal: Principal, limit: int) -> list[SharedThing]:
    """Single things that others share with the caller, the newest first."""
    async with services.store.read() as connection:
        shared = await project_store.jobs_shared_with(
            connection, principal.user, list(principal.projects), limit
        )
    return [SharedThing.model_validate(job, from_attributes=True) for job in shared]


async def share(
    services: Services, principal: Principal, kind: str, thing: str, with_kind: str, with_id: str
) -> list[Share]:
    """With one more person or project, or with everyone."""

    async def add(tx: Transaction) -> None:
        own = await _find_own(tx.connection, principal, kind, thing)
        if isinstance(own, JobRow | PipelineRow):
            await require_sharable(tx.connection, principal, own.project)
        if isinstance(own, DatasetRow):
            await require_shareable_dataset(tx.connection, own)
        if isinstance(own, ModelRow):
            await require_shareable_model(tx.connection, own)
        holder = await _holder(tx.connection, principal, with_kind, with_id)
        shared = ShareRow(kind, own.id, with_kind, holder, principal.user, time.time())
        if await project_store.add_share(tx, shared):
            await notify_of_share(tx, principal, shared, own.name or "")

    await services.store.run(add)
    return await list_shares(services, principal, kind, thing)


async def stop_sharing(
    services: Services, principal: Principal, kind: str, thing: str, with_kind: str, with_id: str
) -> None:
    async def drop(tx: Transaction) -> None:
        own = await _find_own(tx.connection, principal, kind, thing)
        if not await project_store.drop_share(tx, kind, own.id, with_kind, with_id):
            raise NotFound(
                "It is not shared with them", "GET …/shares lists whom it is shared with."
            )

    await services.store.run(drop)


async def move_job(services: Services, principal: Principal, job: str, project: str) -> None:
    """Into another project of the caller's, or out of any, unless what it used counts against a project."""

    async def move(tx: Transaction) -> None:
        row = await _find_own_job(tx.connection, principal, job)
        terms = await project_terms(tx.connection, principal, project)
        if terms.id == row.project:
            return
        await require_free(tx.connection, principal, row.project)
        await require_welcome(tx.connection, terms, row)
        await project_store.move_job(tx, row.id, terms.id)
        if terms.id in principal.courses:
            await project_store.drop_shares_of_students(tx, terms.id)

    await services.store.run(move)


async def _find_own(
    connection: AsyncConnection, principal: Principal, kind: str, thing: str
) -> ImageRow | DatasetRow | ModelRow | EndpointRow | PipelineRow | JobRow:
    """Only the owner decides who else sees it."""
    if kind == IMAGE:
        return await find_image(connection, principal, thing, Action.WRITE)
    if kind == PIPELINE:
        return await find_pipeline(connection, principal, thing)
    if kind == MODEL:
        return await find_model(connection, principal, thing, Action.WRITE)
    if kind == DATASET:
        return await find_dataset(connection, principal, thing, Action.WRITE)
    if kind == PROFILE:
        return await find_endpoint(connection, principal, thing, Action.WRITE)
    return await _find_own_job(connection, principal, thing)


async def _find_own_job(connection: AsyncConnection, principal: Principal, job: str) -> JobRow:
    exact = await job_store.find_job(connection, job)
    row, role = await visible(connection, principal, JOB, job, exact)
    if row is None:
        raise NotFound(f"There is no job {job}", "`diamond tasks` lists what there is.")
    require(principal, Action.WRITE, owner=row.owner, shared=role, what="job")
    return row


async def _holder(
    connection: AsyncConnection, principal: Principal, with_kind: str, with_id: str
) -> str:
    if with_kind == EVERYONE:
        return ""
    if with_kind == PROJECT:
        return (await find_project(connection, principal, with_id)).id
    return (await find_person(connection, with_id)).id
