"""Durable commands to agents, repeated until they are done."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Integer,
    and_,
    bindparam,
    delete,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core import ids
from diamond.service.endpoints.rows import CommandRow
from diamond.service.platform.audit import who_calls
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.fair_order import in_turns
from diamond.service.platform.database.rows import rows_of
from diamond.service.platform.database.tables import commands
from diamond.service.platform.wakeups.notifier import endpoint_topic

NEW, SENT, DONE, VOID = "new", "sent", "done", "void"
REPEAT_SECONDS = 5.0
"""An answer may be lost on its way; the agent knows a command that it has seen."""


@dataclass(frozen=True)
class Command:
    type: str
    endpoint: str
    owner: str
    task: str = ""
    attempt: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)


async def send(tx: Transaction, orders: list[Command]) -> None:
    if not orders:
        return
    now, by = time.time(), who_calls()
    rows = [
        {
            "id": ids.new_id(ids.COMMAND),
            "owner": order.owner,
            "endpoint": order.endpoint,
            "task": order.task,
            "attempt": order.attempt,
            "type": order.type,
            "data": {**by, **order.data},
            "state": NEW,
            "created": now,
        }
        for order in orders
    ]
    await tx.connection.execute(_ADD, rows)
    for order in orders:
        tx.wake(endpoint_topic(order.endpoint))


async def take_due(
    tx: Transaction,
    endpoint: str,
    generation: int,
    *,
    withheld: Sequence[str] = (),
    limit: int = 200,
) -> list[CommandRow]:
    """What the agent of this generation should act on now, but for types that are `withheld` from it; from here on it
    counts as handed over."""
    due_now = _due_now(endpoint, generation, withheld)
    asked = {**due_now, "at_most": limit}
    due = rows_of(await tx.connection.execute(_DUE, asked), CommandRow)
    if len(due) == limit:  # More is due: on an account of several people, each gets a turn.
        turns = list((await tx.connection.execute(_TURNS, asked)).scalars())
        of_turns = {**due_now, "of_turns": turns}
        due = rows_of(await tx.connection.execute(_OF_TURNS, of_turns), CommandRow)
    if due:
        sent = update(commands).where(commands.c.seq.in_([row.seq for row in due]))
        values = {"state": SENT, "sent_at": time.time(), "sent_generation": generation}
        await tx.connection.execute(sent.values(values))
    return due


async def has_due(
    connection: AsyncConnection, endpoint: str, generation: int, *, withheld: Sequence[str] = ()
) -> bool:
    """A cheap question before a transaction is opened."""
    due = await connection.execute(_HAS_DUE, _due_now(endpoint, generation, withheld))
    return due.first() is not None


async def mark_done(tx: Transaction, endpoint: str, done: list[str]) -> None:
    if not done:
        return
    closed = update(commands).where(commands.c.endpoint == endpoint, commands.c.id.in_(done))
    await tx.connection.execute(closed.where(commands.c.state == SENT).values(state=DONE))


async def void_submit(tx: Transaction, task: str, attempt: str) -> bool:
    """Withdraw a submit; False when an agent may already have it."""
    taken = update(commands).where(
        commands.c.task == task,
        commands.c.attempt == attempt,
        commands.c.type == "submit",
        commands.c.state == NEW,
    )
    return bool((await tx.connection.execute(taken.values(state=VOID))).rowcount)


async def forget_commands(tx: Transaction, before: float) -> None:
    over = commands.c.state.in_([DONE, VOID])
    await tx.connection.execute(delete(commands).where(over, commands.c.created < before))


def _due_now(
    endpoint: str, generation: int, withheld: Sequence[str]
) -> dict[str, str | int | float | list[str]]:
    return {
        "of_endpoint": endpoint,
        "generation": generation,
        "lost_before": time.time() - REPEAT_SECONDS,
        "withheld": list(withheld),
    }


def _is_due() -> ColumnElement[bool]:
    lost = or_(
        commands.c.sent_generation != bindparam("generation"),
        commands.c.sent_at < bindparam("lost_before"),
    )
    due = or_(commands.c.state == NEW, and_(commands.c.state == SENT, lost))
    given = commands.c.type.not_in(bindparam("withheld", expanding=True))
    return and_(commands.c.endpoint == bindparam("of_endpoint"), due, given)


# Asked at every call of an agent: built once.
_ADD = insert(commands)
_HAS_DUE = select(commands.c.seq).where(_is_due()).limit(1)
_TURNS = in_turns(
    commands.c.seq, commands.c.owner, commands.c.seq, _is_due(), bindparam("at_most", type_=Integer)
)
_OF_TURNS = (
    select(commands)
    # Asked again, now that they are locked: one of them may have been withdrawn meanwhile.
    .where(commands.c.seq.in_(bindparam("of_turns", expanding=True)), _is_due())
    .order_by(commands.c.seq)
    .with_for_update()
)
_DUE = (
    select(commands)
    .where(_is_due())
    .order_by(commands.c.seq)
    .limit(bindparam("at_most", type_=Integer))
    .with_for_update()
)
