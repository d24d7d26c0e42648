"""Pipelines of the caller, found and listed."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import Conflict, NotFound
from diamond.service.access.principal import Principal
from diamond.service.pipelines import store
from diamond.service.pipelines.rows import PipelineRow
from diamond.service.pipelines.schemas import Pipeline, PipelineDetail
from diamond.service.pipelines.views import show_pipeline, summarize
from diamond.service.platform.http.schemas import Page
from diamond.service.platform.services import Services


async def find_pipeline(
    connection: AsyncConnection, principal: Principal, pipeline: str
) -> PipelineRow:
    """One of the caller's own, by its id, a unique beginning of it, or its name."""
    exact = await store.find_pipeline(connection, pipeline)
    if exact is not None and exact.owner == principal.user:
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
        row = await find_pipeline(connection, principal, pipeline)
        return await show_pipeline(connection, row.id)


async def list_pipelines(
    services: Services, principal: Principal, *, limit: int, cursor: str | None
) -> Page[Pipeline]:
    async with services.store.read() as connection:
        page = await store.list_pipelines(connection, principal.user, limit=limit, cursor=cursor)
        steps = await store.steps_of(connection, [row.id for row in page.rows])
    items = [summarize(row, [one for one in steps if one.pipeline == row.id]) for row in page.rows]
    return Page[Pipeline](items=items, next=page.next)
