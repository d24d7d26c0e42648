"""What routes share: who asks, the services, and the problems a call may answer with."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Annotated, Any

from fastapi import Depends, Header, Query, Request
from fastapi.dependencies.models import Dependant

from diamond.compose.encoding import invalid_texts
from diamond.core.errors import InvalidRequest
from diamond.service.access.authorize import rule_of
from diamond.service.access.rules import Rule
from diamond.service.platform.http.addresses import caller_address
from diamond.service.platform.http.problems import MEDIA_TYPE
from diamond.service.platform.services import Services

PREFIX = "/api/v1"
PROBLEMS = {
    400: "What was asked cannot be done as written",
    401: "Not signed in",
    403: "Not allowed",
    404: "No such thing, or not yours",
    409: "The thing is in another state, or the name is taken",
    413: "Over a stated limit",
    416: "Outside of the file",
    422: "Faults in fields; all are listed",
    429: "More calls than one caller may make in a minute",
    500: "The service failed",
    503: "The endpoint does not answer now",
}
_HALF_CHARACTER = re.compile(rb"\\u[dD][89a-fA-F]")
BYTES: dict[str, Any] = {
    "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
}
CSV: dict[str, Any] = {"content": {"text/csv": {"schema": {"type": "string"}}}}


def problems(*codes: int) -> dict[int | str, dict[str, Any]]:
    """The error responses of a route; those that every call may answer with are added."""
    schema = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    wanted = sorted({400, 401, 403, 422, 429, 500, *codes})
    return {code: {"description": PROBLEMS[code], "content": schema} for code in wanted}


def get_services(request: Request) -> Services:
    services: Services = request.app.state.services
    return services


def announced_bytes(request: Request) -> int:
    """The length of the body as its sender states it; 0 if it does not."""
    stated = request.headers.get("content-length", "")
    return int(stated) if stated.isascii() and stated.isdigit() and len(stated) < 16 else 0


async def find_services(request: Request) -> Services:
    """Async, since FastAPI would run a plain function in a separate thread."""
    return get_services(request)


async def stated_rule(request: Request) -> Rule:
    """What `rules.py` asks of the caller of this very route; a route that it does not name is refused."""
    route = request.scope.get("route")
    path = str(getattr(route, "path", "")).removeprefix(PREFIX)
    return rule_of(request.method, path)


def address_of(request: Request) -> str:
    """For the person to recognise."""
    peer = request.client.host if request.client else ""
    forwarded = request.headers.get("x-forwarded-for", "")
    return caller_address(peer, forwarded, request.app.state.settings.proxies)


async def known_query(request: Request) -> None:
    """A misspelt filter would answer with too much: it is refused, with the right names."""
    route = request.scope.get("route")
    dependant = getattr(route, "dependant", None)
    known = set(_query_names(dependant)) if dependant is not None else set()
    unknown = sorted(set(request.query_params) - known)
    if unknown and dependant is not None:
        hint = f"Known here: {', '.join(sorted(known)) or 'none'}."
        faults = [{"field": name, "message": "unknown parameter", "hint": hint} for name in unknown]
        raise InvalidRequest(f"Unknown parameter {unknown[0]!r}", hint, faults=faults)


async def whole_texts(request: Request) -> None:
    """Half a character, as `\\ud800` in JSON may bring, would be kept and then fit no answer.

    A spec's own are reported with its other faults.
    """
    if "json" not in request.headers.get("content-type", ""):
        return
    body = await request.body()
    if not _HALF_CHARACTER.search(body):
        return
    places = [place for place, _ in invalid_texts(_json(body)) if place[:1] != ("spec",)]
    if places:
        names = [ascii(".".join(map(str, place)))[1:-1] for place in places]
        faults = [{"field": name, "message": "is not UTF-8", "hint": ""} for name in names]
        raise InvalidRequest(f"{names[0]} is not UTF-8", "Send whole characters.", faults=faults)


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None


def _query_names(dependant: Dependant) -> Iterator[str]:
    """Of the call and of what it depends on."""
    yield from (field.alias for field in dependant.query_params)
    for inner in dependant.dependencies:
        yield from _query_names(inner)


def bearer(request: Request) -> str:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


StatedRule = Annotated[Rule, Depends(stated_rule)]
Service = Annotated[Services, Depends(find_services)]
ForProject = Annotated[str, Query(max_length=64)]
IdempotencyKey = Annotated[str | None, Header(alias="Idempotency-Key")]
Limit = Annotated[int, Query(ge=1, le=500)]
PageCursor = Annotated[str | None, Query(alias="cursor", max_length=2000)]
