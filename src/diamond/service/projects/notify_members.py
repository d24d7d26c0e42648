"""People hear of what others do to them: something is shown to them, they come into a project, or out of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from diamond.core import ids
from diamond.service.access.principal import Principal, Role
from diamond.service.notifications.notify import Notice, tell
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import publish

KIND = "people"
Row = Mapping[str, Any]


async def tell_of_place(
    tx: Transaction, principal: Principal, project: Row, user: str, role: Role | None
) -> None:
    """Somebody who has come into a project, has another role there, or (None) is out."""
    name = project["title"] or project["name"]
    if role is None:
        title = f"{principal.name} removed you from {name}"
        text = "What you made there stays, and stays yours."
    else:
        title = f"{principal.name} made you {role.value} of {name}"
        text = "You find it under Projects."
    notice = Notice(f"place:{project['id']}:{ids.new_id('n')}", KIND, title, text)
    await _tell(tx, principal, [user], notice)


async def _tell(tx: Transaction, principal: Principal, people: Iterable[str], told: Notice) -> None:
    """In one order: two who tell the same people at once do not wait for each other in a ring."""
    for person in sorted(set(people) - {principal.user}):
        await publish(tx, person, await tell(tx, person, [told]))
