"""Who asks."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    PERSON = "person"
    AGENT = "agent"
    """A machine's agent: acts for its owner, on its own endpoint only."""


@dataclass(frozen=True)
class Principal:
    kind: Kind
    user: str
    name: str = ""
    endpoint: str = ""
    """Of an agent."""
    by_cookie: bool = False
