"""A task's logs: by bytes, by lines, searched, and whole."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response, StreamingResponse

from diamond.service.output import log_lines, log_search, logs, schemas
from diamond.service.output.logs import LogWanted
from diamond.service.people.caller import Person
from diamond.service.platform.http import safe_download
from diamond.service.platform.http.routing import BYTES, Service, problems

router = APIRouter(prefix="/tasks/{task}/logs", tags=["output"])


async def which_log(
    stream: str, attempt: str = "", run: int | None = None, rank: int = 0
) -> LogWanted:
    """`stdout` or `stderr` of an attempt and run; left out: the newest."""
    return LogWanted(stream, attempt, run, rank)


Log = Annotated[LogWanted, Depends(which_log)]


@router.get("", response_model=schemas.LogList, responses=problems(404, 409))
async def list_logs(task: str, services: Service, person: Person) -> schemas.LogList:
    return await logs.list_logs(services, person, task)


@router.get("/{stream}", response_class=Response, responses={200: BYTES, **problems(404, 409, 503)})
async def read_log(
    task: str,
    log: Log,
    services: Service,
    person: Person,
    offset: int = 0,
    limit: Annotated[int, Query(ge=1)] = 1 << 20,
) -> Response:
    """Raw bytes; a negative offset counts from the end."""
    wanted = replace(log, offset=offset, limit=limit)
    part = await logs.read_log(services, person, task, wanted)
    headers = {
        "Diamond-Offset": str(part.offset),
        "Diamond-Next-Offset": str(part.offset + len(part.data)),
        "Diamond-Size": str(part.size),
        "Diamond-Source": part.source,
        **safe_download.SAFE,
    }
    return Response(part.data, media_type=safe_download.PLAIN, headers=headers)


@router.get("/{stream}/lines", response_model=schemas.LogLines, responses=problems(404, 409, 503))
async def read_lines(
    task: str,
    log: Log,
    services: Service,
    person: Person,
    offset: int = 0,
    before: Annotated[int | None, Query(ge=0)] = None,
    count: Annotated[int, Query(ge=1, le=5000)] = 200,
) -> schemas.LogLines:
    """Whole lines from the one with the byte at `offset`, or the last ones that end at or before `before`.

    A negative offset counts from the end.
    """
    return await log_lines.read_lines(
        services, person, task, replace(log, offset=offset), before=before, count=count
    )


@router.get("/{stream}/search", response_model=schemas.LogMatches, responses=problems(404, 409))
async def search_log(
    task: str,
    log: Log,
    services: Service,
    person: Person,
    text: Annotated[str, Query(min_length=1, max_length=500)],
    after: Annotated[int, Query(ge=0)] = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    case: bool = False,
) -> schemas.LogMatches:
    """Lines that contain a text; what is not stored here is searched on the endpoint, while it is online."""
    wanted = log_search.SearchWanted(text, after, limit, case)
    return await log_search.search(services, person, task, log, wanted)


@router.get(
    "/{stream}/download",
    response_class=Response,
    responses={200: BYTES, **problems(404, 409, 503)},
)
async def download_log(task: str, log: Log, services: Service, person: Person) -> Response:
    """Download the whole log."""
    whole = await logs.open_whole(services, person, task, log)
    headers = {
        **safe_download.SAFE,
        **safe_download.attachment(whole.file_name),
        "Content-Length": str(whole.size),
    }
    return StreamingResponse(whole.pieces, media_type=safe_download.PLAIN, headers=headers)
