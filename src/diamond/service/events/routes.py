from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Query
from starlette.responses import StreamingResponse

from diamond.service.events.stream import EventStream
from diamond.service.people.caller import Person
from diamond.service.platform.http.routing import Service, problems
from diamond.service.platform.http.schemas import SHAPE

router = APIRouter(tags=["events"])
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


@router.get(
    "/events",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "`data:` of each event, by its name",
            "content": {"text/event-stream": {"schema": {SHAPE: "StreamEvents"}}},
        },
        **problems(404, 409),
    },
)
async def events(
    services: Service,
    person: Person,
    watch: Annotated[list[str], Query(max_length=200)] = [],  # noqa: B006
    after: str = "now",
    last_event_id: Annotated[str | None, Header(alias="Last-Event-ID")] = None,
) -> StreamingResponse:
    """Server-sent events: tasks, notes, endpoints, notifications; logs and metrics of watched tasks."""
    stream = EventStream(services, person)
    await stream.open(watch, last_event_id or after)
    return StreamingResponse(stream.lines(), media_type="text/event-stream", headers=HEADERS)
