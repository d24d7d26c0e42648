"""For administrators: people, their browsers, and the audit log."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Response
from starlette.responses import StreamingResponse

from diamond.service.administration import people
from diamond.service.limits.schemas import UserPage
from diamond.service.people.caller import Person
from diamond.service.platform.audit import AuditFilter
from diamond.service.platform.http import safe_download
from diamond.service.platform.http.routing import BYTES, Limit, Service, problems
from diamond.service.platform.http.schemas import Page
from diamond.service.sign_in import accounts
from diamond.service.sign_in.schemas import AuditLine, ServiceSettings, Session, User, UserChange

router = APIRouter(tags=["administration"])
Moment = Annotated[float | None, Query(ge=0, le=1e12)]
After = Annotated[int, Query(ge=0, le=1 << 62)]


@router.get("/settings", response_model=ServiceSettings, responses=problems())
async def show_settings(services: Service, person: Person) -> ServiceSettings:
    """As the service was started; change them in its diamond.toml. Secrets are left out."""
    return people.show_settings(services.settings)


@router.get("/users", response_model=Page[User], responses=problems())
async def list_users(
    services: Service,
    person: Person,
    search: Annotated[str, Query(max_length=200)] = "",
    limit: Limit = 200,
) -> Page[User]:
    return Page(items=await people.list_users(services, search, limit))


@router.get("/users/{user}", response_model=UserPage, responses=problems(404))
async def get_user(user: str, services: Service, person: Person) -> UserPage:
    """With what they use and may use, their projects and identities."""
    return await people.get_user(services, user)


@router.patch("/users/{user}", response_model=User, responses=problems(404, 409))
async def change_user(user: str, body: UserChange, services: Service, person: Person) -> User:
    """Disable, enable, or make an administrator."""
    return await people.change_user(services, person, user, body)


@router.get("/users/{user}/sessions", response_model=Page[Session], responses=problems())
async def list_sessions(user: str, services: Service, person: Person) -> Page[Session]:
    return Page(items=await accounts.list_sessions(services, person, user))


@router.delete("/users/{user}/sessions", status_code=204, responses=problems())
async def end_sessions(user: str, services: Service, person: Person) -> Response:
    """Sign a person out of all browsers."""
    await people.end_sessions(services, user)
    return Response(status_code=204)


@router.delete("/users/{user}/sessions/{session}", status_code=204, responses=problems(404))
async def end_session(user: str, session: str, services: Service, person: Person) -> Response:
    await people.end_session(services, user, session)
    return Response(status_code=204)


def audit_filter(
    user: Annotated[str, Query(max_length=64)] = "",
    search: Annotated[str, Query(max_length=200)] = "",
    since: Moment = None,
    until: Moment = None,
    after: After = 0,
) -> AuditFilter:
    return AuditFilter(user, search, since, until, after)


Wanted = Annotated[AuditFilter, Depends(audit_filter)]


@router.get("/audit", response_model=Page[AuditLine], responses=problems())
async def read_audit(
    services: Service,
    person: Person,
    wanted: Wanted,
    before: After = 0,
    newest_first: bool = False,
    limit: Limit = 200,
) -> Page[AuditLine]:
    """The oldest first: continue with `after` set to the last `n`. The newest first: continue with `before`."""
    wanted = replace(wanted, before=before, newest_first=newest_first)
    items = await people.read_audit(services, wanted, limit)
    return Page(items=items, next=str(items[-1].n) if len(items) == limit else None)


@router.get("/audit/export", response_class=StreamingResponse, responses={200: BYTES, **problems()})
async def export_audit(
    services: Service, person: Person, wanted: Wanted, kind: Literal["jsonl", "csv"] = "jsonl"
) -> StreamingResponse:
    """All matching lines, as JSON lines or CSV."""
    headers = {**safe_download.SAFE, **safe_download.attachment(f"diamond-audit.{kind}")}
    lines = people.export_audit(services, wanted, kind)
    return StreamingResponse(lines, media_type=safe_download.BINARY, headers=headers)
