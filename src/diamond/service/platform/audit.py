"""Who did what: written in the same transaction, and never changed."""

from __future__ import annotations

import time
from contextvars import ContextVar
from dataclasses import dataclass, field

from sqlalchemy import ColumnElement, Text, cast, insert, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.platform.database.rows import rows_of
from diamond.service.platform.database.tables import audit
from diamond.service.platform.rows import AuditRow


@dataclass
class Call:
    """A call of a person that changes something."""

    user: str
    name: str
    action: str
    """Method and path, such as `POST /jobs`."""
    about: dict[str, str] = field(default_factory=dict)
    address: str = ""
    credential: str = ""
    is_written: bool = False


CALL: ContextVar[Call | None] = ContextVar("call", default=None)
"""The call that this task serves, if it belongs in the audit log; `Store.write` writes it."""


def who_calls() -> dict[str, dict[str, str]]:
    """For an endpoint's own log of commands: the person, and the token or browser."""
    call = CALL.get()
    if call is None:
        return {}
    return {"by": {"user": call.user, "name": call.name, "token": call.credential}}


async def write_down(connection: AsyncConnection, call: Call) -> None:
    row = {
        "owner": call.user,
        "name": call.name,
        "at": time.time(),
        "action": call.action,
        "about": dict(call.about),
        "outcome": "done",
        "address": call.address,
        "credential": call.credential,
    }
    await connection.execute(_ADD, row)


@dataclass(frozen=True)
class AuditFilter:
    """Which lines to read; an empty filter reads all."""

    user: str = ""
    search: str = ""
    """Words that must all occur in the person, the action, its subject or the address."""
    since: float | None = None
    until: float | None = None
    after: int = 0
    before: int = 0
    newest_first: bool = False


async def read_audit(
    connection: AsyncConnection, wanted: AuditFilter, limit: int
) -> list[AuditRow]:
    """The oldest first, or the newest."""
    query = select(audit).where(audit.c.n > wanted.after, *_holds(wanted))
    order = audit.c.n.desc() if wanted.newest_first else audit.c.n
    return rows_of(await connection.execute(query.order_by(order).limit(limit)), AuditRow)


def _holds(wanted: AuditFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = [_names(word) for word in wanted.search.split()]
    if wanted.user:
        conditions.append(audit.c.owner == wanted.user)
    if wanted.before:
        conditions.append(audit.c.n < wanted.before)
    if wanted.since is not None:
        conditions.append(audit.c.at >= wanted.since)
    if wanted.until is not None:
        conditions.append(audit.c.at <= wanted.until)
    return conditions


def _names(word: str) -> ColumnElement[bool]:
    read = (audit.c.name, audit.c.action, audit.c.address, cast(audit.c.about, Text))
    return or_(*(column.icontains(word, autoescape=True) for column in read))


def about_call(**about: object) -> None:
    """Add to what the call is about, such as the id of what it creates."""
    call = CALL.get()
    if call is not None:
        call.about.update({name: str(value) for name, value in about.items()})


_ADD = insert(audit)
