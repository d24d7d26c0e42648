"""What is known of a machine that is away was true when it was last heard."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from diamond.cli.format import endpoint_next_step, time_ago
from diamond.cli.output import say
from diamond.core.errors import DiamondError
from diamond.sdk.client import Client
from diamond.sdk.models import Endpoint, Task


def offline_notes(client: Client, tasks: Iterable[Task]) -> list[str]:
    """A sentence for each machine of these tasks that is away; none is asked about without a task."""
    names = {task.endpoint for task in tasks}
    if not names:
        return []
    return [
        describe_offline(one) for one in client.endpoints() if one.name in names and is_offline(one)
    ]


def is_offline(endpoint: Endpoint) -> bool:
    return endpoint.state in ("offline", "sign-in")


def describe_offline(endpoint: Endpoint) -> str:
    """alpha is away since 3 min ago: what is said of it was true then; diamond endpoint connect alpha"""
    then = time_ago(endpoint.last_seen or endpoint.since)
    since = f" since {then}" if then and then != "just now" else ""
    step = endpoint_next_step(endpoint)
    return f"{endpoint.name} is away{since}: what is said of it was true then. Get it back: {step}."


class ConnectionMonitor:
    """Tells, once each, that the service or the machine of a task that is followed went away or came back."""

    def __init__(self, client: Client, name: str, note: Callable[[str], None] = say) -> None:
        self._name, self._note = name, note
        self._last = ""
        self._away = False
        self.endpoint(client.endpoint(name))

    def lost(self, error: DiamondError) -> None:
        if self._last != error.message:
            self._last = error.message
            self._note(f"{error.message}; the task goes on, trying again")

    def endpoint(self, endpoint: Endpoint) -> None:
        if endpoint.name != self._name or is_offline(endpoint) == self._away:
            return
        self._away = is_offline(endpoint)
        self._note(describe_offline(endpoint) if self._away else f"{endpoint.name} is back.")
