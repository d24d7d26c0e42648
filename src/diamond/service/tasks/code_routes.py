"""The code that a task ran."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import PlainTextResponse, Response

from diamond.service.code.schemas import CodeListing
from diamond.service.people.caller import Person
from diamond.service.platform.http import safe_download as serving
from diamond.service.platform.http.routing import Service, problems
from diamond.service.tasks import code

router = APIRouter(prefix="/tasks/{task}", tags=["output"])


@router.get("/code", response_model=CodeListing, responses=problems(404, 409))
async def list_code(task: str, services: Service, person: Person) -> CodeListing:
    """The files of the snapshot that the task ran, or the commit that its endpoint cloned."""
    return await code.list_code(services, person, task)


@router.get("/code/content", response_class=PlainTextResponse, responses=problems(404, 409, 413))
async def read_code(task: str, path: str, services: Service, person: Person) -> Response:
    """One file of the snapshot, as text."""
    return serving.plain_text(await code.read_code(services, person, task, path))
