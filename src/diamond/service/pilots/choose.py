"""Which living pilot of a person takes a piece of work."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.compose.allocations import fits
from diamond.core.order import Order, Resources
from diamond.service.pilots import store
from diamond.service.pilots.rows import Held


async def find_fitting(
    connection: AsyncConnection, owner: str, *, endpoint: str, project: str, wanted: Order
) -> Held | None:
    """One with at least as much, in the same place, paid by the same account; those that a person started come first."""
    able = [
        held
        for held in await store.living_pilots(connection, owner)
        if held.is_open
        and not held.is_of_study
        and (held.task.endpoint, held.task.project) == (endpoint, project)
        and _is_same_place(held, wanted)
        and fits(wanted.resources, held.task.resources)
    ]
    return min(able, key=lambda held: bool(held.row.made_for), default=None)


async def open_pilot(
    connection: AsyncConnection, pilot: str, wanted: Resources, owner: str
) -> Held | None:
    """This pilot, if it still takes work and has room for this."""
    held = (await store.pilots_by_id(connection, [pilot])).get(pilot) if pilot else None
    if held is None or held.row.owner != owner or not held.is_open:
        return None
    return held if fits(wanted, held.task.resources) else None


def _is_same_place(held: Held, wanted: Order) -> bool:
    """A person who started one beforehand need not repeat its partition and options in each pipeline."""
    has, asked = held.task.order.placement, wanted.placement
    names = ("partition", "account", "qos", "reservation", "constraint")
    return all(getattr(asked, name) in ("", getattr(has, name)) for name in names)
