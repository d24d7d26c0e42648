"""What a task writes: logs, metrics, files."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Header, Query
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from diamond.service import schemas
from diamond.service.routes.common import Person, Service, problems
from diamond.service.use_cases import files, logs, metrics
from diamond.service.use_cases.logs import LogWanted

router = APIRouter(prefix="/tasks/{task}", tags=["output"])
BYTES: dict[str, Any] = {
    "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
}


@router.get("/logs", response_model=schemas.Page[schemas.LogStream], responses=problems(404, 409))
async def list_logs(task: str, services: Service, person: Person) -> dict[str, Any]:
    return {"items": await logs.list_logs(services, person, task)}


@router.get(
    "/logs/{stream}",
    response_class=Response,
    responses={200: BYTES, **problems(404, 409, 503)},
)
async def read_log(
    task: str,
    stream: str,
    services: Service,
    person: Person,
    attempt: str = "",
    run: int | None = None,
    rank: int = 0,
    offset: int = 0,
    limit: Annotated[int, Query(ge=1)] = 1 << 20,
) -> Response:
    """Raw bytes; a negative offset counts from the end."""
    wanted = LogWanted(stream, attempt, run, rank, offset, limit)
    part = await logs.read_log(services, person, task, wanted)
    headers = {
        "Diamond-Offset": str(part.offset),
        "Diamond-Next-Offset": str(part.offset + len(part.data)),
        "Diamond-Size": str(part.size),
        "Diamond-Source": part.source,
        "X-Content-Type-Options": "nosniff",
    }
    return Response(part.data, media_type="application/octet-stream", headers=headers)


@router.get("/metrics", response_model=schemas.Page[schemas.Series], responses=problems(404, 409))
async def read_metrics(
    task: str,
    services: Service,
    person: Person,
    name: str | None = None,
    points: Annotated[int, Query(ge=2, le=50_000)] = 1000,
) -> dict[str, Any]:
    found = await metrics.read_metrics(
        services, person, task, sources=metrics.TRAINING, name=name, points=points
    )
    return {"items": found}


@router.get("/usage", response_model=schemas.Page[schemas.Series], responses=problems(404, 409))
async def read_usage(
    task: str,
    services: Service,
    person: Person,
    name: str | None = None,
    points: Annotated[int, Query(ge=2, le=50_000)] = 1000,
) -> dict[str, Any]:
    found = await metrics.read_metrics(
        services, person, task, sources=metrics.USAGE, name=name, points=points
    )
    return {"items": found}


@router.get(
    "/files", response_model=schemas.Page[schemas.FileEntry], responses=problems(404, 409, 503)
)
async def list_files(
    task: str, services: Service, person: Person, path: str = ""
) -> dict[str, Any]:
    """The run directory, asked of the agent."""
    return {"items": await files.list_files(services, person, task, path)}


@router.get(
    "/files/content",
    response_class=Response,
    responses={200: BYTES, 206: BYTES, **problems(404, 409, 416, 503)},
)
async def read_file(
    task: str,
    path: str,
    services: Service,
    person: Person,
    byte_range: Annotated[str | None, Header(alias="Range")] = None,
    if_range: Annotated[str | None, Header(alias="If-Range")] = None,
) -> Response:
    """A file's bytes; `Range` resumes, `ETag` is its digest."""
    content = await files.open_file(services, person, task, path, byte_range, if_range)
    headers = {
        "ETag": content.etag,
        "Accept-Ranges": "bytes",
        "Content-Length": str(content.end - content.first),
        "X-Content-Type-Options": "nosniff",
        "Content-Disposition": "attachment",
    }
    if content.is_part:
        headers["Content-Range"] = f"bytes {content.first}-{content.end - 1}/{content.size}"
    return StreamingResponse(
        content.pieces,
        status_code=206 if content.is_part else 200,
        media_type="application/octet-stream",
        headers=headers,
    )


@router.get("/script", response_class=PlainTextResponse, responses=problems(404, 409, 503))
async def task_script(task: str, services: Service, person: Person) -> str:
    """The batch script."""
    return await files.task_script(services, person, task)


@router.get("/report", responses=problems(404, 409))
async def task_report(task: str, services: Service, person: Person) -> dict[str, Any]:
    """A redacted bundle for a support ticket."""
    return await files.task_report(services, person, task)
