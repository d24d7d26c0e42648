"""Notify people when others add them to a project, change their role, or remove them."""

from __future__ import annotations

from collections.abc import Iterable

from diamond.core import ids
from diamond.service.access.principal import Principal, Role
from diamond.service.notifications.notify import Notice, notify
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import publish
from diamond.service.projects.rows import ProjectRow

KIND = "people"


async def notify_of_role(
    tx: Transaction, principal: Principal, project: ProjectRow, user: str, role: Role | None
) -> None:
    """Somebody was added, got another role, or (None) was removed."""
    name = project.title or project.name
    if role is None:
        title = f"{principal.name} removed you from {name}"
        text = "What you made there stays, and stays yours."
    else:
        title = f"{principal.name} made you {role.value} of {name}"
        text = "You find it under Projects."
    notice = Notice(f"place:{project.id}:{ids.new_id('n')}", KIND, title, text)
    await notify_people(tx, principal, [user], notice)


async def notify_people(
    tx: Transaction, principal: Principal, people: Iterable[str], notice: Notice
) -> None:
    """Sorted, so that two transactions that notify the same people cannot deadlock."""
    for person in sorted(set(people) - {principal.user}):
        await publish(tx, person, await notify(tx, person, [notice]))
