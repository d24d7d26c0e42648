"""Saved views: list, save, remove."""

from __future__ import annotations

import time
from collections.abc import Mapping

from diamond.core import ids
from diamond.core.errors import Conflict, NotFound
from diamond.service.access.authorize import Action, require
from diamond.service.access.principal import Principal, Role
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import News, publish
from diamond.service.platform.services import Services
from diamond.service.projects.projects import find_project
from diamond.service.projects.store import projects_by_id
from diamond.service.views import schemas
from diamond.service.views import store as view_store
from diamond.service.views.rows import ViewRow

MOST_VIEWS = 200


async def list_views(services: Services, principal: Principal, page: str) -> list[schemas.View]:
    async with services.store.read() as connection:
        rows = await view_store.views_of(connection, principal.user, principal.projects, page)
        projects = await projects_by_id(connection, principal.projects)
    names = {project.id: project.name for project in projects}
    return [_show(row, principal, names) for row in rows]


async def save_view(
    services: Services, principal: Principal, body: schemas.ViewBody
) -> schemas.View:
    """Under its name, in place of an earlier one of the same name and page."""

    async def save(tx: Transaction) -> schemas.View:
        project = None
        if body.project:
            project = await find_project(tx.connection, principal, body.project, Role.MEMBER)
        row = await _saved(tx, principal, body, project.id if project else "")
        await publish(tx, principal.user, [News("changed", "views")])
        return _show(row, principal, {project.id: project.name} if project else {})

    return await services.store.run(save)


async def remove_view(services: Services, principal: Principal, view: str) -> None:
    async def remove(tx: Transaction) -> None:
        row = await view_store.find_view(tx.connection, view)
        if row is None or (row.owner != principal.user and row.project not in principal.projects):
            raise NotFound(f"There is no view {view!r}", "It may belong to somebody else.")
        require(principal, Action.WRITE, owner=row.owner, shared=Role.VIEWER, what="view")
        await view_store.drop_view(tx, row.id)
        await publish(tx, principal.user, [News("changed", "views")])

    await services.store.run(remove)


async def _saved(
    tx: Transaction, principal: Principal, body: schemas.ViewBody, project: str
) -> ViewRow:
    now, query = time.time(), body.model_dump()["query"]
    known = await view_store.named_view(tx.connection, principal.user, body.page, body.name)
    if known is not None:
        values = {"query": query, "project": project, "updated": now}
        await view_store.change_view(tx, known.id, values)
        return ViewRow(**{**vars(known), **values})
    own = await view_store.views_of(tx.connection, principal.user, (), "")
    if len(own) >= MOST_VIEWS:
        raise Conflict(f"You have {len(own)} saved views already", "Remove some first.")
    row = ViewRow(
        id=ids.new_id(ids.VIEW),
        owner=principal.user,
        project=project,
        page=body.page,
        name=body.name,
        query=query,
        created=now,
        updated=now,
    )
    await view_store.add_view(tx, row)
    return row


def _show(row: ViewRow, principal: Principal, projects: Mapping[str, str]) -> schemas.View:
    return schemas.View.model_validate(
        {
            **vars(row),
            "project": projects.get(row.project, ""),
            "is_own": row.owner == principal.user,
        }
    )
