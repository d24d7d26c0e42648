"""Records of tasks."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import PlainTextResponse, Response

from diamond.service.people.caller import Person
from diamond.service.platform.http import safe_download
from diamond.service.platform.http.routing import Service, problems
from diamond.service.records import records, schemas

router = APIRouter(tags=["records"])


@router.get("/tasks/{task}/record", response_model=schemas.TaskRecord, responses=problems(404, 409))
async def get_record(task: str, services: Service, person: Person) -> schemas.TaskRecord:
    """How the task came about and ended: entries, each chained to the one before it by its hash."""
    return await records.get_record(services, person, task)


@router.get(
    "/tasks/{task}/record/check", response_model=schemas.RecordCheck, responses=problems(404, 409)
)
async def check_record(task: str, services: Service, person: Person) -> schemas.RecordCheck:
    """Whether the record is still what was written; if not, where it was changed."""
    return await records.check_record(services, person, task)


@router.get(
    "/tasks/{task}/record/texts/{digest}",
    response_class=PlainTextResponse,
    responses=problems(404, 409),
)
async def read_text(task: str, digest: str, services: Service, person: Person) -> Response:
    """A lock, a list of packages or a batch script that the record names by digest."""
    text = await records.read_text(services, person, task, digest)
    return safe_download.plain_text(text.encode())


@router.get("/records/anchors", response_model=schemas.AnchorsCheck, responses=problems())
async def check_anchors(services: Service, person: Person) -> schemas.AnchorsCheck:
    """Whether the service's line of anchors is whole, and its newest hash, to write down elsewhere."""
    return await records.check_anchors(services)
