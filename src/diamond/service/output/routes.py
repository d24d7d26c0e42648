"""What a task writes: metrics, files, its script; and the code it ran."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Header, Query
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from diamond.service.output import archive, files, metrics, schemas, zip_download
from diamond.service.output.metrics import CurvesWanted
from diamond.service.people.caller import Person
from diamond.service.platform.http import safe_download
from diamond.service.platform.http.routing import BYTES, CSV, Service, problems
from diamond.service.platform.http.schemas import Page
from diamond.service.storage.schemas import Archived

router = APIRouter(prefix="/tasks/{task}", tags=["output"])
Points = Annotated[int, Query(ge=2, le=50_000)]


@router.get("/metrics", response_model=Page[schemas.Series], responses=problems(404, 409))
async def read_metrics(
    task: str, services: Service, person: Person, name: str | None = None, points: Points = 1000
) -> Response:
    names = frozenset([name] if name is not None else [])
    wanted = CurvesWanted(metrics.TRAINING, names, points)
    body = await metrics.read_metrics(services, person, task, wanted)
    return Response(body, media_type="application/json")


@router.post("/archive", response_model=Archived, responses=problems(404, 409))
async def archive_task(task: str, services: Service, person: Person) -> Archived:
    """Remove its logs and curves from the service; its record and the last values of its metrics stay."""
    return await archive.archive_task(services, person, task)


@router.get("/usage", response_model=Page[schemas.Series], responses=problems(404, 409))
async def read_usage(
    task: str, services: Service, person: Person, name: str | None = None, points: Points = 1000
) -> Response:
    names = frozenset([name] if name is not None else [])
    wanted = CurvesWanted(metrics.USAGE, names, points)
    body = await metrics.read_metrics(services, person, task, wanted)
    return Response(body, media_type="application/json")


@router.get("/metrics.csv", response_class=Response, responses={200: CSV, **problems(404, 409)})
async def metrics_csv(
    task: str, services: Service, person: Person, usage: bool = False
) -> Response:
    """Every kept point: name, step, time, value."""
    row, text = await metrics.as_csv(services, person, task, usage=usage)
    name = safe_download.file_name(row.name, row.id, "usage.csv" if usage else "metrics.csv")
    headers = {**safe_download.SAFE, **safe_download.attachment(name)}
    return Response(text, media_type="text/csv", headers=headers)


@router.get("/files", response_model=Page[schemas.FileEntry], responses=problems(404, 409, 503))
async def list_files(
    task: str, services: Service, person: Person, path: str = "", cursor: str | None = None
) -> Page[schemas.FileEntry]:
    """The run directory, listed by the agent; a large folder comes in pages."""
    return await files.list_files(services, person, task, path, cursor)


@router.get("/media", response_model=Page[schemas.LoggedMedia], responses=problems(404, 409, 503))
async def list_media(task: str, services: Service, person: Person) -> Page[schemas.LoggedMedia]:
    """Pictures and tables that the script logged with W&B or MLflow: the newest 500."""
    return Page(items=await files.list_media(services, person, task))


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
    inline: bool = False,
    byte_range: Annotated[str | None, Header(alias="Range")] = None,
    if_range: Annotated[str | None, Header(alias="If-Range")] = None,
) -> Response:
    """A file's bytes; `Range` resumes, `ETag` is its digest.

    With `inline`, pictures (png, jpeg, gif, webp) and text are sent for display; anything else as a download.
    """
    content = await files.open_file(services, person, task, path, byte_range, if_range)
    headers = {
        "ETag": content.etag,
        "Accept-Ranges": "bytes",
        "Content-Length": str(content.end - content.first),
        **safe_download.SAFE,
        **safe_download.disposition(path, inline=inline),
    }
    if content.is_part:
        headers["Content-Range"] = f"bytes {content.first}-{content.end - 1}/{content.size}"
    return StreamingResponse(
        content.pieces,
        status_code=206 if content.is_part else 200,
        media_type=safe_download.media_type(path, inline=inline),
        headers=headers,
    )


@router.get(
    "/files.zip", response_class=Response, responses={200: BYTES, **problems(404, 409, 413, 503)}
)
async def download_zip(
    task: str,
    services: Service,
    person: Person,
    path: str = "",
    what: zip_download.What = "results",
) -> Response:
    """A folder of the run directory as one zip file; `results` leaves out what came with the job."""
    download = await zip_download.open_zip(services, person, task, path, what)
    headers = {**safe_download.SAFE, **safe_download.attachment(f"{download.name}.zip")}
    return StreamingResponse(download.pieces, media_type="application/zip", headers=headers)


@router.get("/script", response_class=PlainTextResponse, responses=problems(404, 409, 503))
async def task_script(task: str, services: Service, person: Person) -> Response:
    """The batch script."""
    return safe_download.plain_text(await files.task_script(services, person, task))


@router.get("/report", response_model=schemas.Report, responses=problems(404, 409))
async def task_report(task: str, services: Service, person: Person) -> dict[str, Any]:
    """A redacted bundle for a support ticket."""
    return await files.task_report(services, person, task)
