"""Pilots."""

from __future__ import annotations

from fastapi import APIRouter

from diamond.service.people.caller import Person
from diamond.service.pilots import find, schemas, start, stop, timeline
from diamond.service.platform.http.routing import (
    IdempotencyKey,
    Limit,
    PageCursor,
    Service,
    problems,
)
from diamond.service.platform.http.schemas import Page

router = APIRouter(prefix="/pilots", tags=["pilots"])


@router.post("", status_code=201, response_model=schemas.Pilot, responses=problems(404, 409))
async def start_pilot(
    body: schemas.PilotRequest, services: Service, person: Person, key: IdempotencyKey = None
) -> schemas.Pilot:
    """Ask for an allocation that runs tasks inside it. Pipelines that fit use it while it lives."""
    return await start.start_pilot(services, person, body, key)


@router.get("", response_model=Page[schemas.Pilot], responses=problems())
async def list_pilots(
    services: Service, person: Person, limit: Limit = 50, cursor: PageCursor = None
) -> Page[schemas.Pilot]:
    """Newest first."""
    return await find.list_pilots(services, person, limit=limit, cursor=cursor)


@router.get("/{pilot}", response_model=schemas.Pilot, responses=problems(404, 409))
async def get_pilot(pilot: str, services: Service, person: Person) -> schemas.Pilot:
    """By its id or a unique beginning of it."""
    return await find.get_pilot(services, person, pilot)


@router.get("/{pilot}/timeline", response_model=schemas.Timeline, responses=problems(404, 409))
async def get_timeline(pilot: str, services: Service, person: Person) -> schemas.Timeline:
    """What ran where and when, from the pilot's own journal on its endpoint."""
    return await timeline.get_timeline(services, person, pilot)


@router.post("/{pilot}/stop", response_model=schemas.Pilot, responses=problems(404, 409))
async def stop_pilot(
    pilot: str, body: schemas.StopBody, services: Service, person: Person
) -> schemas.Pilot:
    """Release its allocation once what runs in it has ended, or now. Asking twice, or too late, is fine."""
    return await stop.stop_pilot(services, person, pilot, now=body.now)
