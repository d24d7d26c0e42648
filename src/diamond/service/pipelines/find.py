"""Pipelines that the caller may see, found and listed."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import Conflict, NotFound
from diamond.service.access.authorize import Action, require, role_of
from diamond.service.access.principal import Principal
from diamond.service.people.shares import PIPELINE, things_shared_with
from diamond.service.pipelines import store
from diamond.service.pipelines.rows import PipelineRow
from diamond.service.pipelines.schemas import Pipeline, PipelineDetail
from diamond.service.pipelines.views import show_pipeline, summarize
from diamond.service.platform.http.schemas import Page
from diamond.service.platform.services import Services
from diamond.service.projects.visibility import visible


async def find_pipeline(
    connection: AsyncConnection,
    principal: Principal,
    pipeline: str,
    action: Action = Action.WRITE,
) -> PipelineRow:
    """By its id, also one that is shared or in a project of the caller's; else by the beginning of the id or the name of one's own."""
    exact, role = await visible(
        connection, principal, PIPELINE, pipeline, await store.find_pipeline(connection, pipeline)
    )
    if exact is not None:
        place = {"owner": exact.owner, "project": exact.project}
        require(principal, action, **place, shared=role, what="pipeline")
        return exact
    owner = principal.user
    matches = await store.pipelines_called(connection, owner, pipeline) if pipeline else []
    if not matches:
        raise NotFound(f"There is no pipeline {pipeline!r}", "`diamond pipeline list` lists yours.")
    if len(matches) > 1:
        candidates = ", ".join(match.id for match in matches)
        raise Conflict(f"Several pipelines begin with {pipeline}", f"Which one: {candidates}?")
    return matches[0]


async def get_pipeline(services: Services, principal: Principal, pipeline: str) -> PipelineDetail:
    async with services.store.read() as connection:
        row = await find_pipeline(connection, principal, pipeline, Action.READ)
        return await show_pipeline(connection, row.id)


async def list_pipelines(
    services: Services, principal: Principal, *, limit: int, cursor: str | None
) -> Page[Pipeline]:
    projects = [each for each in principal.projects if role_of(principal, owner="", project=each)]
    async with services.store.read() as connection:
        shared = await things_shared_with(connection, PIPELINE, principal.user)
        page = await store.list_pipelines(
            connection, principal.user, projects, shared, limit=limit, cursor=cursor
        )
        counts = await store.count_steps(connection, [row.id for row in page.rows])
    items = [summarize(row, counts[row.id]) for row in page.rows]
    return Page[Pipeline](items=items, next=page.next)
