"""Code that takes up space in the service."""

from __future__ import annotations

from fastapi import APIRouter

from diamond.service.code import removal
from diamond.service.code.schemas import RemovedCode, StoredCode
from diamond.service.people.caller import Person
from diamond.service.platform.http.routing import Limit, Service, problems
from diamond.service.platform.http.schemas import Page

router = APIRouter(prefix="/storage/code", tags=["storage"])


@router.get("", response_model=Page[StoredCode], responses=problems())
async def list_stored_code(
    services: Service, person: Person, limit: Limit = 100
) -> Page[StoredCode]:
    """The caller's snapshots of code; first those whose removal frees most."""
    return Page(items=await removal.list_code(services, person, limit))


@router.delete("/unused", response_model=RemovedCode, responses=problems())
async def remove_unused_code(services: Service, person: Person) -> RemovedCode:
    """Remove code that no task and nothing else needs, except what was sent in the last ten minutes."""
    return await removal.remove_unused(services, person)


@router.delete("/{digest}", response_model=RemovedCode, responses=problems(400, 404, 409))
async def remove_stored_code(
    digest: str, services: Service, person: Person, recorded: bool = False
) -> RemovedCode:
    """Remove a snapshot with the files that nothing else has. `recorded`: also if the records of ended tasks name it."""
    return await removal.remove_code(services, person, digest, recorded=recorded)
