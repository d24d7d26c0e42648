from __future__ import annotations

from fastapi import APIRouter, Response

from diamond.service.dashboard import overview, schemas
from diamond.service.people.caller import Person
from diamond.service.platform.http.routing import Service, problems

router = APIRouter(prefix="/overview", tags=["overview"])


@router.get("", response_model=schemas.Overview, responses=problems())
async def get_overview(services: Service, person: Person) -> schemas.Overview:
    """What runs, what waits and why, what needs your attention, what is free, and what ended last."""
    return await overview.get_overview(services, person)


@router.post("/seen", status_code=204, responses=problems())
async def mark_seen(body: schemas.Seen, services: Service, person: Person) -> Response:
    """Remove failures up to this time from the list of what needs attention."""
    await overview.mark_seen(services, person, body.at)
    return Response(status_code=204)
