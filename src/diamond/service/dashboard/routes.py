from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response

from diamond.service import schemas
from diamond.service.platform.http.routing import Person, Service, problems
from diamond.service.dashboard import overview

router = APIRouter(prefix="/overview", tags=["overview"])


@router.get("", response_model=schemas.Overview, responses=problems())
async def get_overview(services: Service, person: Person) -> dict[str, Any]:
    """What runs, what waits and why, what needs the person, what is free, what ended last."""
    return await overview.get_overview(services, person)


@router.post("/seen", status_code=204, responses=problems())
async def mark_seen(body: schemas.Seen, services: Service, person: Person) -> Response:
    """Failures up to this time leave the list of needs."""
    await overview.mark_seen(services, person, body.at)
    return Response(status_code=204)
