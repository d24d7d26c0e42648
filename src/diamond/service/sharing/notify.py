"""Notify people of what is shared with them."""

from __future__ import annotations

from diamond.core import ids
from diamond.service.access.principal import Principal
from diamond.service.notifications.notify import Notice
from diamond.service.people.shares import (
    DATASET,
    IMAGE,
    JOB,
    MODEL,
    PERSON,
    PIPELINE,
    PROFILE,
    PROJECT,
)
from diamond.service.platform.database.engine import Transaction
from diamond.service.projects import store as project_store
from diamond.service.projects.notify_members import KIND, notify_people
from diamond.service.projects.rows import ShareRow
from diamond.service.tasks.job_store import tasks_of_jobs

WHERE = {
    JOB: "You find it under Projects, Shared with you.",
    IMAGE: "You find it under Images, Shared with me.",
    DATASET: "You find it under Datasets, Shared with me.",
    MODEL: "You find it under Models.",
    PIPELINE: "You find it under Pipelines.",
    PROFILE: "You can connect your own agent there: Endpoints, Add.",
}
NAMES = {
    JOB: "the job",
    IMAGE: "the image",
    DATASET: "the dataset",
    MODEL: "the model",
    PIPELINE: "the pipeline",
    PROFILE: "the profile of",
}


async def notify_of_share(
    tx: Transaction, principal: Principal, share: ShareRow, name: str
) -> None:
    """The people or the project it is shared with; not everyone, which would be an announcement."""
    title = f"{principal.name} shares {NAMES[share.kind]} {name} with you"
    task = await _newest_task(tx, share.thing) if share.kind == JOB else ""
    key = f"shared:{share.kind}:{share.thing}:{ids.new_id('n')}"
    notice = Notice(key, KIND, title, WHERE[share.kind], task=task)
    await notify_people(tx, principal, await _people(tx, share), notice)


async def _newest_task(tx: Transaction, job: str) -> str:
    tasks = await tasks_of_jobs(tx.connection, [job])
    return next(reversed(tasks[job]), "")


async def _people(tx: Transaction, share: ShareRow) -> list[str]:
    if share.with_kind == PERSON:
        return [share.with_id]
    if share.with_kind == PROJECT:
        members = await project_store.list_members(tx.connection, share.with_id)
        return [member.owner for member in members]
    return []
