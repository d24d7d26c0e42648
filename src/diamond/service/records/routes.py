"""Records of tasks."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from diamond.service.people.caller import Person
from diamond.service.platform.http import safe_download
from diamond.service.platform.http.routing import BYTES, Limit, PageCursor, Service, problems
from diamond.service.platform.http.schemas import Page
from diamond.service.records import export, imports, links, records, schemas

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


Parts = Annotated[list[schemas.ExportPart], Query()]


@router.get(
    "/tasks/{task}/record/export",
    response_class=Response,
    responses={200: BYTES, **problems(404, 409)},
)
async def export_record(
    task: str,
    services: Service,
    person: Person,
    part: Parts = [schemas.ExportPart.LOCK],  # noqa: B006
    format: schemas.ExportFormat = schemas.ExportFormat.CRATE,
    blind: bool = False,
) -> Response:
    """The record as an RO-Crate (a zip) or as PROV-JSON."""
    options = schemas.ExportOptions(format=format, parts=part, blind=blind)
    return _download(await export.export_tasks(services, person, [task], options))


@router.post(
    "/records/export", response_class=Response, responses={200: BYTES, **problems(404, 409)}
)
async def export_records(
    body: schemas.ExportRequest, services: Service, person: Person
) -> Response:
    """One crate with the records of several tasks."""
    return _download(await export.export_request(services, person, body))


def _download(exported: export.Exported) -> Response:
    headers = {**safe_download.SAFE, **safe_download.attachment(exported.name)}
    return StreamingResponse(exported.pieces, media_type=exported.media_type, headers=headers)


@router.get("/records/anchors", response_model=schemas.AnchorsCheck, responses=problems())
async def check_anchors(services: Service, person: Person) -> schemas.AnchorsCheck:
    """Whether the service's line of anchors is whole, and its newest hash, to write down elsewhere."""
    return await records.check_anchors(services)


ZIP = {"requestBody": {"content": {"application/zip": {}}, "required": True}}
Title = Annotated[str, Query(max_length=200)]


@router.post(
    "/records/imports",
    status_code=201,
    response_model=schemas.CrateShown,
    responses=problems(413),
    openapi_extra=ZIP,
)
async def import_crate(
    request: Request, services: Service, person: Person, name: Title = ""
) -> schemas.CrateShown:
    """An RO-Crate of somebody else: a zip, or its `ro-crate-metadata.json` alone; at most 1 GB. It is read and shown; nothing in it is run."""
    return await imports.import_crate(services, person, request.stream(), name)


@router.get("/records/imports", response_model=Page[schemas.CrateSummary], responses=problems())
async def list_crates(
    services: Service, person: Person, limit: Limit = 50, cursor: PageCursor = None
) -> Page[schemas.CrateSummary]:
    return await imports.list_crates(services, person, limit=limit, cursor=cursor)


@router.get("/records/imports/{crate}", response_model=schemas.CrateShown, responses=problems(404))
async def get_crate(crate: str, services: Service, person: Person) -> schemas.CrateShown:
    return await imports.get_crate(services, person, crate)


@router.delete("/records/imports/{crate}", status_code=204, responses=problems(404))
async def forget_crate(crate: str, services: Service, person: Person) -> None:
    await imports.forget_crate(services, person, crate)


@router.post(
    "/records/links", status_code=201, response_model=schemas.LinkMade, responses=problems(404, 409)
)
async def make_link(
    body: schemas.LinkRequest, services: Service, person: Person
) -> schemas.LinkMade:
    """A link to records of yours for somebody without an account, such as a reviewer. Its secret is shown once."""
    return await links.make_link(services, person, body)


@router.get("/records/links", response_model=schemas.Links, responses=problems())
async def list_links(services: Service, person: Person) -> schemas.Links:
    return schemas.Links(items=await links.list_links(services, person))


@router.delete("/records/links/{link}", status_code=204, responses=problems(404))
async def withdraw_link(link: str, services: Service, person: Person) -> None:
    await links.withdraw_link(services, person, link)


UNLISTED = {
    "X-Robots-Tag": "noindex, nofollow",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "private, no-store",
}


@router.get("/records/review/{secret}", response_model=schemas.Review, responses=problems(404))
async def read_review(secret: str, services: Service, response: Response) -> schemas.Review:
    """For whoever has the link."""
    response.headers.update(UNLISTED)
    return await links.read_review(services, secret)


@router.get(
    "/records/review/{secret}/crate",
    response_class=Response,
    responses={200: BYTES, **problems(404)},
)
async def review_crate(secret: str, services: Service) -> Response:
    """The same as an RO-Crate."""
    answer = _download(await links.review_crate(services, secret))
    answer.headers.update(UNLISTED)
    return answer
