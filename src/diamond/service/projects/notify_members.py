"""People hear of what others do to them: something is shown to them, they come into a project, or out of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from diamond.core import ids
from diamond.service.access.principal import Principal, Role
from diamond.service.projects import store as rows
from diamond.service.platform.database.engine import Transaction
from diamond.service.tasks.job_store import tasks_of_jobs
from diamond.service.projects.store import IMAGE, JOB, PERSON, PROFILE, PROJECT
from diamond.service.platform.event_log import publish
from diamond.service.notifications.notify import Notice, tell

KIND = "people"
WHERE = {
    JOB: "You find it under Projects, Shared with you.",
    IMAGE: "You find it under Images, Shared with me.",
    PROFILE: "You can connect an agent of your own there: Endpoints, Add.",
}
NAMES = {JOB: "the job", IMAGE: "the image", PROFILE: "the profile of"}
Row = Mapping[str, Any]


async def tell_of_share(tx: Transaction, principal: Principal, share: Row, thing: Row) -> None:
    """Those whom a new share names; not everybody of a Diamond, which would be an announcement."""
    title = f"{principal.name} shares {NAMES[share['kind']]} {thing['name']} with you"
    task = await _newest_task(tx, thing) if share["kind"] == JOB else ""
    key = f"shared:{share['kind']}:{thing['id']}:{ids.new_id('n')}"
    notice = Notice(key, KIND, title, WHERE[share["kind"]], task=task)
    await _tell(tx, principal, await _named(tx, share), notice)


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


async def _newest_task(tx: Transaction, job: Row) -> str:
    return next(reversed((await tasks_of_jobs(tx.connection, [job["id"]]))[job["id"]]), "")


async def _named(tx: Transaction, share: Row) -> list[str]:
    if share["with_kind"] == PERSON:
        return [str(share["with_id"])]
    if share["with_kind"] == PROJECT:
        return [one["owner"] for one in await rows.list_members(tx.connection, share["with_id"])]
    return []


async def _tell(tx: Transaction, principal: Principal, people: Iterable[str], told: Notice) -> None:
    """In one order: two who tell the same people at once do not wait for each other in a ring."""
    for person in sorted(set(people) - {principal.user}):
        await publish(tx, person, await tell(tx, person, [told]))
