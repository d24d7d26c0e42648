from __future__ import annotations

from fastapi import APIRouter, Response

from diamond.service.announcements import announcements
from diamond.service.limits.schemas import Announcement, AnnouncementRequest
from diamond.service.people.caller import Person
from diamond.service.platform.http.routing import Service, problems
from diamond.service.platform.http.schemas import Page

router = APIRouter(tags=["announcements"])


@router.get("/announcements", response_model=Page[Announcement], responses=problems())
async def list_announcements(services: Service, person: Person) -> Page[Announcement]:
    """Those to show now; a `changed` event of `announcements` says when to ask again."""
    return Page(items=await announcements.list_announcements(services))


@router.get("/announcements/all", response_model=Page[Announcement], responses=problems())
async def list_all(services: Service, person: Person) -> Page[Announcement]:
    """For administrators: also future and past ones."""
    return Page(items=await announcements.list_announcements(services, every=True))


@router.post("/announcements", status_code=201, response_model=Announcement, responses=problems())
async def announce(body: AnnouncementRequest, services: Service, person: Person) -> Announcement:
    return await announcements.announce(services, person, body)


@router.put(
    "/announcements/{announcement}",
    response_model=Announcement,
    responses=problems(404),
)
async def change(
    announcement: str, body: AnnouncementRequest, services: Service, person: Person
) -> Announcement:
    return await announcements.change(services, announcement, body)


@router.delete("/announcements/{announcement}", status_code=204, responses=problems(404))
async def withdraw(announcement: str, services: Service, person: Person) -> Response:
    await announcements.withdraw(services, announcement)
    return Response(status_code=204)
