"""What came from what."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query

from diamond.service.lineage import schemas
from diamond.service.lineage.walk import Wanted, read_lineage
from diamond.service.people.caller import Person
from diamond.service.platform.http.routing import Service, problems

router = APIRouter(prefix="/lineage", tags=["lineage"])


@router.get("", response_model=schemas.Lineage, responses=problems(404))
async def get_lineage(
    services: Service,
    person: Person,
    of: Annotated[str, Query(min_length=1, max_length=200)],
    direction: Literal["both", "backward", "forward"] = "both",
    depth: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> schemas.Lineage:
    """From a task, `NAME@v2` of a dataset or model, or the digest of code, an image or data: back to what it came from, forward to all that used it."""
    wanted = Wanted(
        start=of,
        backward=direction != "forward",
        forward=direction != "backward",
        depth=depth,
    )
    return await read_lineage(services, person, wanted)
