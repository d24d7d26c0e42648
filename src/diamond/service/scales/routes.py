from __future__ import annotations

from fastapi import APIRouter

from diamond.service.people.caller import Person
from diamond.service.planning import scales
from diamond.service.planning.scale_schemas import Scale, ScaleRequest
from diamond.service.platform.http.routing import (
    IdempotencyKey,
    Limit,
    PageCursor,
    Service,
    problems,
)
from diamond.service.platform.http.schemas import Page
from diamond.service.scales import probing

router = APIRouter(prefix="/scales", tags=["scales"])


@router.post("", status_code=201, response_model=Scale, responses=problems(404, 409))
async def start_scale(
    body: ScaleRequest, services: Service, person: Person, key: IdempotencyKey = None
) -> Scale:
    """Probe a spec on several node counts, or with several settings on one node; this starts tasks of kind `probe`."""
    return await scales.start_scale(services, person, body, key)


@router.get("", response_model=Page[Scale], responses=problems())
async def list_scales(
    services: Service, person: Person, limit: Limit = 50, cursor: PageCursor = None
) -> Page[Scale]:
    return await scales.list_scales(services, person, limit=limit, cursor=cursor)


@router.get("/{scale}", response_model=Scale, responses=problems(404, 409))
async def get_scale(scale: str, services: Service, person: Person) -> Scale:
    """By its id or a unique beginning of it."""
    return await scales.get_scale(services, person, scale)


@router.post("/{scale}/cancel", response_model=Scale, responses=problems(404, 409))
async def cancel_scale(scale: str, services: Service, person: Person) -> Scale:
    """Cancel its probes; asking twice, or too late, is fine."""
    return await probing.cancel_scale(services, person, scale)
