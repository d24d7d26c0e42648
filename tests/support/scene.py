"""A machine with a scripted agent, and jobs on it: the start of most service tests."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any

from support.http import Client
from support.people import add_person
from support.scripted_agent import ScriptedAgent
from support.service import RunningService

_numbers = count(1)


@dataclass
class Scene:
    service: RunningService
    client: Client
    agent: ScriptedAgent
    name: str

    def submit(self, **spec: Any) -> Any:
        """The task of a new job on this endpoint."""
        body = {"spec": {"name": "job", "run": "true", "on": self.name, **spec}}
        return self.client.post("/jobs", body)["tasks"][0]

    def taken(self, **spec: Any) -> tuple[str, str]:
        """A task whose submit the agent has received: (task, attempt)."""
        return self.take(self.submit(**spec))

    def take(self, task: Any) -> tuple[str, str]:
        commands = self.agent.commands(wait=5)["commands"]
        self.agent.commands(done=[one["id"] for one in commands])
        return task["id"], task["attempt"]

    def task(self, task: str) -> Any:
        return self.client.get(f"/tasks/{task}")

    def tell(self, kind: str, task: str, attempt: str, **fields: Any) -> Any:
        return self.agent.tell({"type": kind, "task": task, "attempt": attempt, **fields})


def new_scene(service: RunningService, *, carrier: str = "local", epoch: str = "e1") -> Scene:
    name = f"m{next(_numbers)}"
    added = service.client.post("/endpoints", {"name": name, "carrier": carrier})
    agent = ScriptedAgent(service.url, added["key"], epoch=epoch)
    agent.hello()
    return Scene(service, service.client, agent, name)


def machine_of(service: RunningService, client: Client) -> Scene:
    """An endpoint of the person who calls with this client."""
    name = f"d{next(_numbers)}"
    key = client.post("/endpoints", {"name": name, "carrier": "local"})["key"]
    agent = ScriptedAgent(service.url, key)
    agent.hello()
    return Scene(service, client, agent, name)


def new_person(service: RunningService, name: str) -> tuple[str, Scene]:
    """Somebody with an endpoint: their id, and the scene."""
    person, client = add_person(service, name)
    return person, machine_of(service, client)
