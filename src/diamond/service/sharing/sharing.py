"""One thing shown to people, projects or everybody of this Diamond: for reading."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import NotFound
from diamond.service.access.authorize import Action, require
from diamond.service.access.principal import Principal
from diamond.service.endpoints.endpoints import find_endpoint
from diamond.service.images.views import find_image
from diamond.service.people.shares import EVERYONE, IMAGE, JOB, PROFILE, PROJECT
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.services import Services
from diamond.service.projects import store as rows
from diamond.service.projects.projects import find_project
from diamond.service.projects.terms import project_terms
from diamond.service.projects.visibility import find_person, visible
from diamond.service.sharing.notify import tell_of_share
from diamond.service.tasks import job_store as job_rows
from diamond.service.tasks.bound_work import require_free, require_sharable, require_welcome

Row = Mapping[str, Any]
Shown = dict[str, Any]


async def list_shares(
    services: Services, principal: Principal, kind: str, thing: str
) -> list[Shown]:
    async with services.store.read() as connection:
        row = await _own(connection, principal, kind, thing)
        found = await rows.list_shares(connection, kind, row["id"])
    names = ("with_kind", "with_id", "name", "created")
    return [{name: one[name] for name in names} for one in found]


async def shared_with_me(services: Services, principal: Principal, limit: int) -> list[Shown]:
    """What others show to the caller one by one, the newest first."""
    async with services.store.read() as connection:
        found = await rows.jobs_shared_with(
            connection, principal.user, list(principal.projects), limit
        )
    return [
        {name: one[name] for name in ("kind", "thing", "task", "name", "by", "created")}
        for one in found
    ]


async def share(
    services: Services, principal: Principal, kind: str, thing: str, with_kind: str, with_id: str
) -> list[Shown]:
    """With one more person, project or everybody."""

    async def add(tx: Transaction) -> None:
        row = await _own(tx.connection, principal, kind, thing)
        if kind == JOB:
            await require_sharable(tx.connection, principal, row)
        holder = await _holder(tx.connection, principal, with_kind, with_id)
        shared = {
            "kind": kind,
            "thing": row["id"],
            "with_kind": with_kind,
            "with_id": holder,
            "owner": principal.user,
            "created": time.time(),
        }
        if await rows.add_share(tx, shared):
            await tell_of_share(tx, principal, shared, row)

    await services.store.run(add)
    return await list_shares(services, principal, kind, thing)


async def stop_sharing(
    services: Services, principal: Principal, kind: str, thing: str, with_kind: str, with_id: str
) -> None:
    async def drop(tx: Transaction) -> None:
        row = await _own(tx.connection, principal, kind, thing)
        if not await rows.drop_share(tx, kind, row["id"], with_kind, with_id):
            raise NotFound("It is not shared so", "GET …/shares lists with whom it is.")

    await services.store.run(drop)


async def move_job(services: Services, principal: Principal, job: str, project: str) -> None:
    """Into another project of the caller's, or out of any, unless what it used counts against a project."""

    async def move(tx: Transaction) -> None:
        row = await _own(tx.connection, principal, JOB, job)
        terms = await project_terms(tx.connection, principal, project)
        if terms.id == row["project"]:
            return
        await require_free(tx.connection, principal, row)
        await require_welcome(tx.connection, terms, row)
        await rows.move_job(tx, row["id"], terms.id)

    await services.store.run(move)


async def _own(connection: AsyncConnection, principal: Principal, kind: str, thing: str) -> Row:
    """Only its owner says who else sees it."""
    if kind == IMAGE:
        return await find_image(connection, principal, thing, Action.WRITE)
    if kind == PROFILE:
        return await find_endpoint(connection, principal, thing, Action.WRITE)
    found = await job_rows.find_job(connection, thing)
    row, role = await visible(connection, principal, JOB, thing, found)
    if row is None:
        raise NotFound(f"There is no job {thing}", "`diamond tasks` lists what there is.")
    require(principal, Action.WRITE, owner=row["owner"], shared=role, what="job")
    return row


async def _holder(
    connection: AsyncConnection, principal: Principal, with_kind: str, with_id: str
) -> str:
    if with_kind == EVERYONE:
        return ""
    if with_kind == PROJECT:
        return str((await find_project(connection, principal, with_id))["id"])
    return str((await find_person(connection, with_id))["id"])
