"""Work of others that a person may see: in their projects, and in shared tasks that they watch."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.access.authorize import role_of
from diamond.service.access.principal import Principal
from diamond.service.platform.wakeups.notifier import owner_topic, project_topic
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.schemas import Task
from diamond.service.tasks.store import changed_in_projects, tasks_by_id
from diamond.service.tasks.views import show_tasks

LOOK_BACK_SECONDS = 300.0
"""A client that comes back gets again what changed meanwhile; each event carries the whole task."""
OVERLAP_SECONDS = 5.0
"""A change may be committed a little after one that is newer."""
AT_ONCE = 100


class OthersWork:
    """News of it for one stream; its owners' numbered streams stay theirs."""

    def __init__(self, principal: Principal) -> None:
        self._principal = principal
        self._places = [project for project in principal.projects if _sees(principal, project)]
        self.watched: set[str] = set()
        """Tasks of others, by id."""
        self._owners: set[str] = set()
        self._since = time.time() - OVERLAP_SECONDS
        self._sent: dict[str, int] = {}

    @property
    def topics(self) -> list[str]:
        return [*map(project_topic, self._places), *map(owner_topic, self._owners)]

    def watch(self, task: TaskRow) -> None:
        if task.owner != self._principal.user:
            self.watched.add(task.id)
            self._owners.add(task.owner)
            self._sent[task.id] = task.version

    def look_back(self) -> None:
        self._since = time.time() - LOOK_BACK_SECONDS

    async def news(self, connection: AsyncConnection) -> AsyncGenerator[Task]:
        """What was not sent yet; one who stops in the middle gets the rest at the next call."""
        rows: list[TaskRow] = []
        if self._places:
            rows += await changed_in_projects(
                connection, self._places, but=self._principal.user, since=self._since, limit=AT_ONCE
            )
        newest = max((row.updated for row in rows), default=0.0)
        if self.watched:
            rows += (await tasks_by_id(connection, self.watched)).values()
        for row in rows:
            if self._sent.get(row.id) != row.version:
                self._sent[row.id] = row.version
                yield (await show_tasks(connection, [row]))[0]
        self._since = max(self._since, newest - OVERLAP_SECONDS)


def _sees(principal: Principal, project: str) -> bool:
    return role_of(principal, owner="", project=project) is not None
