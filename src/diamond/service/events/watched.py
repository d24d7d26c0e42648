"""What others do that a person may see: in her projects, and in tasks that are shared with her and that she watches."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.access.authorize import role_of
from diamond.service.access.principal import Principal
from diamond.service.platform.database.rows import Row
from diamond.service.platform.wakeups.notifier import owner_topic, project_topic
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.schemas import Task
from diamond.service.tasks.store import changed_in_projects, tasks_by_id
from diamond.service.tasks.views import show_tasks

LOOK_BACK_SECONDS = 300.0
"""A client that comes back hears again of what changed meanwhile; each telling is the whole task."""
OVERLAP_SECONDS = 5.0
"""A change may be committed a little after one that is newer."""
AT_ONCE = 100


class OthersWork:
    """News of it for one stream; its owners' numbered streams stay theirs."""

    def __init__(self, principal: Principal) -> None:
        self._principal = principal
        self._places = [one for one in principal.projects if _sees(principal, one)]
        self.watched: set[str] = set()
        """Tasks of others, by id."""
        self._owners: set[str] = set()
        self._since = time.time() - OVERLAP_SECONDS
        self._told: dict[str, int] = {}

    @property
    def topics(self) -> list[str]:
        return [*map(project_topic, self._places), *map(owner_topic, self._owners)]

    def watch(self, row: Row) -> None:
        if row["owner"] != self._principal.user:
            self.watched.add(row["id"])
            self._owners.add(row["owner"])
            self._told[row["id"]] = row["version"]

    def look_back(self) -> None:
        self._since = time.time() - LOOK_BACK_SECONDS

    async def news(self, connection: AsyncConnection) -> AsyncGenerator[Task]:
        """What was not told yet; one who stops in the middle hears the rest at the next call."""
        found: list[TaskRow] = []
        if self._places:
            found += await changed_in_projects(
                connection, self._places, but=self._principal.user, since=self._since, limit=AT_ONCE
            )
        newest = max((row.updated for row in found), default=0.0)
        if self.watched:
            found += (await tasks_by_id(connection, self.watched)).values()
        for row in found:
            if self._told.get(row.id) != row.version:
                self._told[row.id] = row.version
                yield (await show_tasks(connection, [row]))[0]
        self._since = max(self._since, newest - OVERLAP_SECONDS)


def _sees(principal: Principal, project: str) -> bool:
    return role_of(principal, owner="", project=project) is not None
