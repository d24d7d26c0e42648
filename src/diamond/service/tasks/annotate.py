"""What people write on their tasks: another name, tags, a note."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from diamond.core.errors import BadRequest
from diamond.service.access.authorize import Action
from diamond.service.access.principal import Principal
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import News, publish
from diamond.service.platform.services import Services
from diamond.service.platform.wakeups.notifier import project_topic
from diamond.service.tasks import store as task_store
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.schemas import MOST_TAGS, TagCount, Task, TaskChanges
from diamond.service.tasks.tasks import find_task, get_task

TAGS_SHOWN = 100


async def change_task(
    services: Services, principal: Principal, task: str, changes: TaskChanges
) -> Task:
    """The order keeps the name that it was submitted with."""

    async def change(tx: Transaction) -> str:
        row = await find_task(tx.connection, principal, task, Action.WRITE)
        changed = _changed(row, changes)
        if changed != row:
            await task_store.annotate_task(tx, changed)
            await publish(tx, row.owner, [News("task", row.id)])
            if row.project:
                tx.wake(project_topic(row.project))
        return row.id

    return await get_task(services, principal, await services.store.run(change))


async def list_tags(services: Services, principal: Principal) -> list[TagCount]:
    async with services.store.read() as connection:
        counts = Counter(await task_store.newest_tags(connection, principal.user))
    return [TagCount(tag=tag, tasks=count) for tag, count in counts.most_common(TAGS_SHOWN)]


def _changed(row: TaskRow, changes: TaskChanges) -> TaskRow:
    tags = _tags(row.tags if changes.tags is None else changes.tags, changes)
    if len(tags) > MOST_TAGS:
        raise BadRequest(
            f"A task has at most {MOST_TAGS} tags, and this would be {len(tags)}",
            "Remove one first: diamond tag TASK --remove TAG",
        )
    name = row.name if changes.name is None else changes.name
    note = row.note if changes.note is None else changes.note.strip()
    return replace(row, name=name, note=note, tags=tags)


def _tags(tags: Sequence[str], changes: TaskChanges) -> tuple[str, ...]:
    gone = set(changes.remove_tags)
    return tuple(tag for tag in dict.fromkeys([*tags, *changes.add_tags]) if tag not in gone)
