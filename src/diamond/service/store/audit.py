"""Who did what: written in the very transaction that does it, and never changed."""

from __future__ import annotations

import time
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.store.rows import Row, rows_of
from diamond.service.store.tables import audit


@dataclass
class Call:
    """One call of a person that changes something."""

    user: str
    name: str
    action: str
    """Method and path, such as `POST /jobs`."""
    about: dict[str, str] = field(default_factory=dict)
    address: str = ""
    credential: str = ""
    is_written: bool = False


CALL: ContextVar[Call | None] = ContextVar("call", default=None)
"""The call that this task serves, if it is one to be written down; `Store.write` does so."""


async def write_down(connection: AsyncConnection, call: Call) -> None:
    row = {
        "owner": call.user, "name": call.name, "at": time.time(), "action": call.action,
        "about": dict(call.about), "outcome": "done", "address": call.address,
        "credential": call.credential,
    }  # fmt: skip
    await connection.execute(_ADD, row)


async def read_audit(
    connection: AsyncConnection, *, user: str, after: int, limit: int
) -> list[Row]:
    """In the order of what happened."""
    query = select(audit).where(audit.c.n > after)
    if user:
        query = query.where(audit.c.owner == user)
    return rows_of(await connection.execute(query.order_by(audit.c.n).limit(limit)))


def about_call(**about: Any) -> None:
    """Say more of what the call is about, such as the id of what it makes."""
    call = CALL.get()
    if call is not None:
        call.about.update({name: str(value) for name, value in about.items()})


_ADD = insert(audit)
