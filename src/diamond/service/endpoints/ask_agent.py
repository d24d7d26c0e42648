"""Checks before an agent is asked while a person waits: does it answer, and is there anything to ask for?"""

from __future__ import annotations

import time
from typing import Protocol

from diamond.core.errors import Cleaned, EndpointAway
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.store import endpoint_by_id
from diamond.service.endpoints.views import revive_line
from diamond.service.platform.services import Services


class PlacedTask(Protocol):
    """What a task must say here; `tasks.rows.TaskRow` does."""

    @property
    def endpoint(self) -> str: ...
    @property
    def endpoint_name(self) -> str: ...
    @property
    def cleaned(self) -> float | None: ...


def require_files(task: PlacedTask) -> None:
    """Raise Cleaned when the task's run directory is known to be gone."""
    if task.cleaned:
        when = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(task.cleaned))
        raise Cleaned(
            f"Its run directory was removed by diamond clean or the endpoint's limits on {when}",
            "What Diamond kept of its logs and metrics is still there. `diamond retry` runs it again.",
        )


async def require_online(services: Services, task: PlacedTask) -> None:
    """Raise EndpointAway at once when the task's endpoint does not answer now."""
    async with services.store.read() as connection:
        endpoint = await endpoint_by_id(connection, task.endpoint)
    if endpoint is None:
        raise EndpointAway(
            f"Endpoint {task.endpoint_name} was removed", "What is there is out of reach."
        )
    require_endpoint_online(services, endpoint)


def require_endpoint_online(services: Services, endpoint: EndpointRow) -> None:
    if endpoint.state != "online":
        raise EndpointAway(
            f"Endpoint {endpoint.name} does not answer now: it is {endpoint.state}",
            f"Wake it with: {revive_line(endpoint)}",
        )
