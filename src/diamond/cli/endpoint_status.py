"""The state of an endpoint as text, and warnings while one is offline."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from diamond.cli.format import time_ago
from diamond.cli.output import say
from diamond.core.errors import DiamondError
from diamond.sdk.client import Client
from diamond.sdk.models import Endpoint, Task

ENDPOINT_STATES = {
    "sign-in": "needs you to sign in",
    "pairing": "waiting to be paired",
    "confirming": "waiting for your confirmation",
}


def describe_endpoint_state(state: str) -> str:
    """Online, offline, or what it needs from its owner."""
    return ENDPOINT_STATES.get(state, state)


def endpoint_next_step(endpoint: Endpoint) -> str:
    """How to get an endpoint online; empty if it is."""
    if endpoint.state == "online":
        return ""
    if endpoint.state == "confirming":
        return f"Confirm it: diamond endpoint confirm {endpoint.name}"
    if endpoint.state == "pairing":
        return f"Pair it: diamond endpoint add {endpoint.name}"
    return endpoint.revive or f"diamond endpoint connect {endpoint.name}"


def offline_notes(client: Client, tasks: Iterable[Task]) -> list[str]:
    """A sentence for each endpoint of these tasks that is offline."""
    names = {task.endpoint for task in tasks}
    if not names:
        return []
    return [
        describe_offline(endpoint)
        for endpoint in client.endpoints()
        if endpoint.name in names and is_offline(endpoint)
    ]


def is_offline(endpoint: Endpoint) -> bool:
    return endpoint.state in ("offline", "sign-in")


def describe_offline(endpoint: Endpoint) -> str:
    """alpha is offline (last seen 3 min ago), and its tasks are shown as of then. Reconnect: diamond endpoint connect alpha."""
    then = time_ago(endpoint.last_seen or endpoint.since)
    known = then and then != "just now"
    age = f" (last seen {then}), and its tasks are shown as of then" if known else ""
    return f"{endpoint.name} is offline{age}. Reconnect: {endpoint_next_step(endpoint)}."


class ConnectionMonitor:
    """Reports, once each, that the service or the endpoint of a followed task went offline or came back."""

    def __init__(self, client: Client, name: str, note: Callable[[str], None] = say) -> None:
        self._name, self._note = name, note
        self._last = ""
        self._offline = False
        self.endpoint(client.endpoint(name))

    def lost(self, error: DiamondError) -> None:
        if self._last != error.message:
            self._last = error.message
            self._note(f"{error.message}. The task keeps running; reconnecting …")

    def endpoint(self, endpoint: Endpoint) -> None:
        if endpoint.name != self._name or is_offline(endpoint) == self._offline:
            return
        self._offline = is_offline(endpoint)
        self._note(describe_offline(endpoint) if self._offline else f"{endpoint.name} is back.")
