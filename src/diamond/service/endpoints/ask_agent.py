"""Before an agent is asked while a person waits: is it there, and is there anything to ask for?"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from diamond.core.errors import Cleaned, EndpointAway
from diamond.service.endpoints.store import endpoint_by_id
from diamond.service.endpoints.views import revive_line
from diamond.service.platform.services import Services


def require_files(task: Mapping[str, Any]) -> None:
    """Raise Cleaned when the task's run directory is known to be gone."""
    if task["cleaned"]:
        when = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(task["cleaned"]))
        raise Cleaned(
            f"Its run directory was removed by diamond clean or the endpoint's limits on {when}",
            "What Diamond kept of its logs and metrics is still there. `diamond retry` runs it again.",
        )


async def require_online(services: Services, task: Mapping[str, Any]) -> None:
    """Raise EndpointAway at once when the task's endpoint does not answer now."""
    async with services.store.read() as connection:
        row = await endpoint_by_id(connection, task["endpoint"])
    if row is None:
        raise EndpointAway(
            f"Endpoint {task['endpoint_name']} was removed", "What lies there is out of reach."
        )
    require_endpoint_online(services, row)


def require_endpoint_online(services: Services, row: Mapping[str, Any]) -> None:
    if row["state"] != "online":
        raise EndpointAway(
            f"Endpoint {row['name']} does not answer now: it is {row['state']}",
            f"Wake it with: {revive_line(row)}",
        )
