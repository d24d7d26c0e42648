"""People hear of what is shared with them."""

from __future__ import annotations

from diamond.core import ids
from diamond.service.access.principal import Principal
from diamond.service.notifications.notify import Notice
from diamond.service.people.shares import IMAGE, JOB, PERSON, PROFILE, PROJECT
from diamond.service.platform.database.engine import Transaction
from diamond.service.projects import store as rows
from diamond.service.projects.notify_members import KIND, Row, _tell
from diamond.service.tasks.job_store import tasks_of_jobs

WHERE = {
    JOB: "You find it under Projects, Shared with you.",
    IMAGE: "You find it under Images, Shared with me.",
    PROFILE: "You can connect an agent of your own there: Endpoints, Add.",
}


NAMES = {JOB: "the job", IMAGE: "the image", PROFILE: "the profile of"}


async def tell_of_share(tx: Transaction, principal: Principal, share: Row, thing: Row) -> None:
    """Those whom a new share names; not everybody of a Diamond, which would be an announcement."""
    title = f"{principal.name} shares {NAMES[share['kind']]} {thing['name']} with you"
    task = await _newest_task(tx, thing) if share["kind"] == JOB else ""
    key = f"shared:{share['kind']}:{thing['id']}:{ids.new_id('n')}"
    notice = Notice(key, KIND, title, WHERE[share["kind"]], task=task)
    await _tell(tx, principal, await _named(tx, share), notice)


async def _newest_task(tx: Transaction, job: Row) -> str:
    return next(reversed((await tasks_of_jobs(tx.connection, [job["id"]]))[job["id"]]), "")


async def _named(tx: Transaction, share: Row) -> list[str]:
    if share["with_kind"] == PERSON:
        return [str(share["with_id"])]
    if share["with_kind"] == PROJECT:
        return [one["owner"] for one in await rows.list_members(tx.connection, share["with_id"])]
    return []
