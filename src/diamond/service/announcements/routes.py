from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response

from diamond.service import schemas
from diamond.service.platform.http.routing import Person, Service, problems
from diamond.service.announcements import announce as announcing

router = APIRouter(tags=["announcements"])


@router.get(
    "/announcements", response_model=schemas.Page[schemas.Announcement], responses=problems()
)
async def list_announcements(services: Service, person: Person) -> dict[str, Any]:
    """Those that hold now; a `changed` event of `announcements` says when to ask again."""
    return {"items": await announcing.list_announcements(services)}


@router.get(
    "/announcements/all", response_model=schemas.Page[schemas.Announcement], responses=problems()
)
async def list_all(services: Service, person: Person) -> dict[str, Any]:
    """For administrators: also those to come, and those that are over."""
    return {"items": await announcing.list_announcements(services, every=True)}


@router.post(
    "/announcements", status_code=201, response_model=schemas.Announcement, responses=problems()
)
async def announce(
    body: schemas.AnnouncementRequest, services: Service, person: Person
) -> dict[str, Any]:
    return await announcing.announce(services, person, body.model_dump())


@router.put(
    "/announcements/{announcement}",
    response_model=schemas.Announcement,
    responses=problems(404),
)
async def change(
    announcement: str, body: schemas.AnnouncementRequest, services: Service, person: Person
) -> dict[str, Any]:
    return await announcing.change(services, announcement, body.model_dump())


@router.delete("/announcements/{announcement}", status_code=204, responses=problems(404))
async def withdraw(announcement: str, services: Service, person: Person) -> Response:
    await announcing.withdraw(services, announcement)
    return Response(status_code=204)
