"""The project that a job goes into: whether it may, and what that asks of its spec."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import Conflict, InvalidSpec
from diamond.service.access.principal import Principal, Role
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.platform.database.rows import Row
from diamond.service.platform.services import Services
from diamond.service.projects.projects import find_project, sees_all

SET_ONCE = ("account", "reservation")
INSTEAD = {
    "code": "Name a repository with its commit (code: https://…@COMMIT), or a path on the machine in `run`.",
    "environment.files": "Let `setup` fetch them from where the machine may, or name an image that is there.",
}
Fault = dict[str, str]


@dataclass(frozen=True)
class Place:
    id: str = ""
    """Of the project; '' for none."""
    name: str = ""
    course: Mapping[str, Any] = field(default_factory=dict)
    endpoints: list[str] | None = None
    """A restricted project's; None: any."""

    def settled(self, spec: dict[str, Any]) -> dict[str, Any]:
        """With what the course has set once for all."""
        given = {name: self.course[name] for name in SET_ONCE if self.course.get(name)}
        return {**spec, **given} if given else spec

    def among(self, endpoints: Sequence[EndpointRow]) -> Sequence[EndpointRow]:
        """Those of the caller's endpoints that it may run on."""
        if self.endpoints is None:
            return endpoints
        found = [row for row in endpoints if row.id in self.endpoints]
        if not found:
            words = f"{self.name} is restricted to listed endpoints, and none of yours is listed"
            raise Conflict(words, "Ask one of its managers to list yours.", code="restricted")
        return found

    def store_faults(self, spec: Mapping[str, Any], code: Mapping[str, Any] | None) -> list[Fault]:
        """What of a job would pass through the service's store of files: nothing of a restricted project may."""
        if self.endpoints is None:
            return []
        environment = spec.get("environment")
        has_files = isinstance(environment, Mapping) and bool(environment.get("files"))
        sent = {"code": bool((code or {}).get("snapshot")), "environment.files": has_files}
        words = f"{self.name} is restricted: its files may not pass through this service"
        return [
            {"field": name, "message": words, "hint": INSTEAD[name]} for name in sent if sent[name]
        ]

    def require_no_store(self, spec: Mapping[str, Any], code: Mapping[str, Any] | None) -> None:
        faults = self.store_faults(spec, code)
        if faults:
            first = faults[0]
            raise InvalidSpec(first["message"], first["hint"], faults=faults, code="restricted")

    def require_unmoved(self, moves: bool) -> None:
        if moves and self.endpoints is not None:
            raise Conflict(
                f"{self.name} is restricted: its images may not pass through this service",
                "Build the image on that endpoint: diamond image build.",
                code="restricted",
            )


NOWHERE = Place()


async def place_of(connection: AsyncConnection, principal: Principal, project: str) -> Place:
    """The project that the caller may add to, by its name or id."""
    if not project:
        return NOWHERE
    row = await find_project(connection, principal, project, Role.MEMBER)
    if row["archived"]:
        raise Conflict(f"The project {row['name']} is archived", "A manager can open it again.")
    if row["course"] and not sees_all(principal, row):
        _require_open(row)
    return place_from(row)


async def require_storable(services: Services, principal: Principal, project: str) -> None:
    """Before files are taken that are meant for a project."""
    async with services.store.read() as connection:
        place = await place_of(connection, principal, project)
    place.require_no_store({}, {"snapshot": "sent"})


async def require_place(
    connection: AsyncConnection, principal: Principal, row: Mapping[str, Any]
) -> None:
    """Whether its person may still start work where a task of hers belongs."""
    if not row["project"]:
        return
    if row["project"] not in principal.projects:
        raise Conflict(
            "You are no longer in the project that this belongs to", "Run its spec as a new job."
        )
    place = await place_of(connection, principal, row["project"])
    if place.endpoints is not None and row["endpoint"] not in place.endpoints:
        words = f"{place.name} no longer lists {row['endpoint_name']}"
        raise Conflict(words, "Ask one of its managers.", code="restricted")


def place_from(row: Mapping[str, Any] | None) -> Place:
    if row is None:
        return NOWHERE
    return Place(str(row["id"]), str(row["name"]), row["course"] or {}, row["endpoints"])


def _require_open(row: Row) -> None:
    now, course = time.time(), row["course"]
    if course.get("starts") and now < course["starts"]:
        raise Conflict(
            f"The course {row['name']} begins on {_day(course['starts'])}", code="course-closed"
        )
    if course.get("ends") and now >= course["ends"]:
        raise Conflict(
            f"The course {row['name']} ended on {_day(course['ends'])}",
            "What you made stays; ask your lecturer for more time.",
            code="course-closed",
        )


def _day(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(at))
