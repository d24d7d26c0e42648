"""What a project asks of the jobs in it: whether they may start, where they run, and what may pass through the service."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.code_facts import CodeFacts
from diamond.core.errors import Conflict, InvalidSpec
from diamond.service.access.principal import Principal, Role
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.platform.services import Services
from diamond.service.projects.projects import find_project, sees_all
from diamond.service.projects.rows import ProjectRow

INSTEAD = {
    "code": "Name a repository with its commit (code: https://…@COMMIT), or a path on the machine in `run`.",
    "environment.files": "Download them in `environment.commands`, or name an image that is already on the machine.",
}
Spec = Mapping[str, Any]
Fault = dict[str, str]


@dataclass(frozen=True)
class ProjectTerms:
    id: str = ""
    """Of the project; empty for a job without one."""
    name: str = ""
    account: str = ""
    reservation: str = ""
    """Both are set by a course for all its jobs; empty: the spec's own."""
    endpoints: Sequence[str] | None = None
    """Ids of the endpoints of a restricted project; None: any."""

    @property
    def is_restricted(self) -> bool:
        return self.endpoints is not None

    def apply(self, spec: dict[str, Any]) -> dict[str, Any]:
        """The spec with what the course sets for everyone."""
        given = {"account": self.account, "reservation": self.reservation}
        given = {name: value for name, value in given.items() if value}
        return {**spec, **given} if given else spec

    def allowed_endpoints(self, endpoints: Sequence[EndpointRow]) -> Sequence[EndpointRow]:
        if self.endpoints is None:
            return endpoints
        allowed = [endpoint for endpoint in endpoints if endpoint.id in self.endpoints]
        if not allowed:
            raise Conflict(
                f"{self.name} is restricted to listed endpoints, and none of yours is listed",
                "Ask one of its managers to list yours.",
                code="restricted",
            )
        return allowed

    def upload_faults(self, spec: Spec, code: CodeFacts | None) -> list[Fault]:
        """Fields of a job whose files would pass through the service: a restricted project allows none."""
        if not self.is_restricted:
            return []
        environment = spec.get("environment")
        has_files = isinstance(environment, Mapping) and bool(environment.get("files"))
        has_code = code is not None and bool(code.snapshot)
        message = f"{self.name} is restricted: its files may not pass through this service"
        uploads = {"code": has_code, "environment.files": has_files}
        return [
            {"field": name, "message": message, "hint": INSTEAD[name]}
            for name, is_uploaded in uploads.items()
            if is_uploaded
        ]

    def require_no_uploads(self, spec: Spec, code: CodeFacts | None) -> None:
        faults = self.upload_faults(spec, code)
        if faults:
            first = faults[0]
            raise InvalidSpec(first["message"], first["hint"], faults=faults, code="restricted")

    def require_no_image_transfer(self) -> None:
        if self.is_restricted:
            raise Conflict(
                f"{self.name} is restricted: its images may not pass through this service",
                "Build the image on that endpoint: diamond image build.",
                code="restricted",
            )

    def require_no_transfer(self, what: str) -> None:
        if self.is_restricted:
            raise Conflict(
                f"{self.name} is restricted: {what} may not pass through this service",
                "Run the stages on the same endpoint.",
                code="restricted",
            )


NO_PROJECT = ProjectTerms()


async def project_terms(
    connection: AsyncConnection, principal: Principal, project: str
) -> ProjectTerms:
    """Of the project, by name or id, that the caller may add jobs to now."""
    if not project:
        return NO_PROJECT
    row = await find_project(connection, principal, project, Role.MEMBER)
    if row.archived:
        raise Conflict(f"The project {row.name} is archived", "A manager can open it again.")
    if row.course and not sees_all(principal, row):
        _require_open(row)
    return terms_from(row)


async def require_uploads_allowed(services: Services, principal: Principal, project: str) -> None:
    """Before files are accepted that are meant for a project."""
    async with services.store.read() as connection:
        terms = await project_terms(connection, principal, project)
    terms.require_no_uploads({}, CodeFacts(snapshot="sent"))


async def require_still_allowed(
    connection: AsyncConnection,
    principal: Principal,
    *,
    project: str,
    endpoint: str,
    endpoint_name: str,
) -> ProjectTerms:
    """Whether the owner of a task may still start work in its project, on its endpoint."""
    if not project:
        return NO_PROJECT
    if project not in principal.projects:
        raise Conflict(
            "You are no longer in the project that this belongs to", "Run its spec as a new job."
        )
    terms = await project_terms(connection, principal, project)
    if terms.endpoints is not None and endpoint not in terms.endpoints:
        raise Conflict(
            f"{terms.name} no longer lists {endpoint_name}",
            "Ask one of its managers.",
            code="restricted",
        )
    return terms


def terms_from(row: ProjectRow | None) -> ProjectTerms:
    if row is None:
        return NO_PROJECT
    account, reservation = (row.course.account, row.course.reservation) if row.course else ("", "")
    return ProjectTerms(row.id, row.name, account, reservation, row.endpoints)


def _require_open(row: ProjectRow) -> None:
    assert row.course is not None
    now, starts, ends = time.time(), row.course.starts, row.course.ends
    if starts and now < starts:
        raise Conflict(f"The course {row.name} begins on {_day(starts)}", code="course-closed")
    if ends and now >= ends:
        raise Conflict(
            f"The course {row.name} ended on {_day(ends)}",
            "What you made stays; ask your lecturer for more time.",
            code="course-closed",
        )


def _day(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(at))
