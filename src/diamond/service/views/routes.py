"""Saved views of pages with many rows."""

from __future__ import annotations

from fastapi import APIRouter

from diamond.service.people.caller import Person
from diamond.service.platform.http.routing import Service, problems
from diamond.service.platform.http.schemas import Page
from diamond.service.views import schemas, views

router = APIRouter(prefix="/views", tags=["views"])


@router.get("", response_model=Page[schemas.View], responses=problems())
async def list_views(
    services: Service, person: Person, page: schemas.ViewPage | None = None
) -> Page[schemas.View]:
    """The caller's own, and those of their projects."""
    return Page(items=await views.list_views(services, person, page or ""))


@router.put("", response_model=schemas.View, responses=problems(404, 409))
async def save_view(body: schemas.ViewBody, services: Service, person: Person) -> schemas.View:
    """Save the columns, filters and order of a page under a name."""
    return await views.save_view(services, person, body)


@router.delete("/{view}", status_code=204, responses=problems(404))
async def remove_view(view: str, services: Service, person: Person) -> None:
    await views.remove_view(services, person, view)
