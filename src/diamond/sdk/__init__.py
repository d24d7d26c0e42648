"""Diamond from Python.

>>> from diamond.sdk import Client
>>> job = Client().run("diamond.yaml", on="delta", set={"lr": 0.01}, wait=True)
>>> job.task.state
'succeeded'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from diamond.sdk.client import Client
from diamond.sdk.event_stream import StreamEvent
from diamond.sdk.logs import LogPart
from diamond.sdk.models import Endpoint, Job, Task
from diamond.sdk.studies import Study

if TYPE_CHECKING:
    from diamond.sdk.async_client import AsyncClient

__all__ = ["AsyncClient", "Client", "Endpoint", "Job", "LogPart", "StreamEvent", "Study", "Task"]


def __getattr__(name: str) -> Any:
    """asyncio is imported only when used: it costs every shell command 0.05 s."""
    if name != "AsyncClient":
        raise AttributeError(name)
    from diamond.sdk.async_client import AsyncClient

    return AsyncClient
