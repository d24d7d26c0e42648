"""Rows of endpoints as frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from diamond.service.platform.database.rows import TypedRow


@dataclass(frozen=True)
class EndpointRow(TypedRow):
    """A machine with an agent."""

    id: str
    owner: str
    name: str
    carrier: str
    ssh_host: str
    state: str
    since: float
    last_seen: float | None
    key_hash: str | None
    pairing_hash: str | None
    pairing_expires: float | None
    confirmed: bool
    generation: int
    epoch: str
    have: int
    host: str
    user: str
    agent_version: str
    protocol: int
    python: str
    stays: str
    folders: Any
    cluster: str
    is_default: bool
    profile: Any
    corrections: Any
    retention: Any
    policy: Any
    secrets: Any
    created: float


@dataclass(frozen=True)
class CallingEndpointRow(EndpointRow):
    """An endpoint by its key, with whether its owner is disabled."""

    disabled: float | None


@dataclass(frozen=True)
class OpenTaskRow(TypedRow):
    """What is asked of open tasks on an endpoint."""

    id: str
    attempt: str
    attempts: Any
    is_waiting: bool
    """For something that it depends on: no agent has it yet."""


@dataclass(frozen=True)
class CommandRow(TypedRow):
    """A durable command to an agent."""

    seq: int
    id: str
    owner: str
    endpoint: str
    task: str
    attempt: str
    type: str
    data: Any
    state: str
    created: float
    sent_at: float
    sent_generation: int
