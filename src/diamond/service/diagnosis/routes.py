"""Why a task failed, and running it again with the change that helps."""

from __future__ import annotations

from fastapi import APIRouter

from diamond.service.diagnosis import diagnosis, schemas
from diamond.service.people.caller import Person
from diamond.service.platform.http.routing import IdempotencyKey, Service, problems
from diamond.service.tasks.schemas import Task

router = APIRouter(prefix="/tasks/{task}", tags=["tasks"])


@router.get("/diagnosis", response_model=schemas.Diagnosis, responses=problems(404, 409))
async def get_diagnosis(task: str, services: Service, person: Person) -> schemas.Diagnosis:
    """Why a task failed, from its ending and the last lines of its log, with what to do next."""
    return await diagnosis.diagnose(services, person, task)


@router.post("/fix", status_code=201, response_model=Task, responses=problems(404, 409, 503))
async def fix_task(
    task: str, services: Service, person: Person, key: IdempotencyKey = None
) -> Task:
    """Run it again, as a new task, with the change that its diagnosis offers."""
    return await diagnosis.fix(services, person, task, key)
