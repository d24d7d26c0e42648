"""Run directories that are no longer needed."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from diamond.service.endpoints import schemas
from diamond.service.people.caller import Person
from diamond.service.platform.http.routing import Service, problems
from diamond.service.tasks import cleanup as upkeep

router = APIRouter(prefix="/endpoints", tags=["endpoints"])


@router.post("/{name}/clean", response_model=schemas.Cleaned, responses=problems(404, 503))
async def clean_endpoint(
    name: str, body: schemas.CleanRequest, services: Service, person: Person
) -> dict[str, Any]:
    """Remove run directories of ended tasks; a dry run unless told otherwise."""
    items = await upkeep.clean_endpoint(services, person, name, **body.model_dump())
    return {"items": items, "bytes": sum(one["bytes"] for one in items)}
