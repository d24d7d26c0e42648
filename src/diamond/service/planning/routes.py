from __future__ import annotations

from fastapi import APIRouter

from diamond.service.people.caller import Person
from diamond.service.planning import plans, schemas
from diamond.service.platform.http.routing import Service, problems

router = APIRouter(prefix="/plans", tags=["plans"])


@router.post("", response_model=schemas.Plan, responses=problems(404, 409))
async def make_plan(body: schemas.PlanRequest, services: Service, person: Person) -> schemas.Plan:
    """How long a spec takes to reach a goal, in how many attempts, and what it costs; nothing is submitted."""
    return await plans.make_plan(services, person, body)
