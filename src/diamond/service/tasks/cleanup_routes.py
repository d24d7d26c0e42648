"""Run directories that are no longer needed."""

from __future__ import annotations

from fastapi import APIRouter

from diamond.service.endpoints import schemas
from diamond.service.people.caller import Person
from diamond.service.platform.http.routing import Service, problems
from diamond.service.tasks import cleanup

router = APIRouter(prefix="/endpoints", tags=["endpoints"])


@router.post("/{name}/clean", response_model=schemas.Cleaned, responses=problems(404, 503))
async def clean_endpoint(
    name: str, body: schemas.CleanRequest, services: Service, person: Person
) -> schemas.Cleaned:
    """Remove run directories of ended tasks; a dry run unless `dry_run` is false."""
    return await cleanup.clean_endpoint(services, person, name, body)
