"""Who calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

LOCAL_USER = "local"
"""Whoever runs the service: the one person of an embedded Diamond."""


class Kind(StrEnum):
    PERSON = "person"
    AGENT = "agent"
    """A machine's agent: acts for its owner, on its own endpoint only."""


class Scope(StrEnum):
    """What a token may be used for."""

    READ = "read"
    """Look at things."""
    RUN = "run"
    """Submit, cancel and retry; send code."""
    MANAGE = "manage"
    """Endpoints, secrets, projects, sharing, settings and tokens."""
    ADMIN = "admin"
    """People and the service itself, for those who are administrators."""


class Role(StrEnum):
    """In a project, from the lowest to the highest; or towards a thing, its owner."""

    VIEWER = "viewer"
    """Sees the project's things."""
    MEMBER = "member"
    """Also adds their own things to the project."""
    MANAGER = "manager"
    """Also cancels members' work, and decides who is in the project."""
    OWNER = "owner"
    """The person whose thing it is."""

    @property
    def rank(self) -> int:
        return list(Role).index(self)


EVERYTHING = frozenset(Scope)


@dataclass(frozen=True)
class Principal:
    kind: Kind
    user: str
    name: str = ""
    endpoint: str = ""
    """Of an agent."""
    by_cookie: bool = False
    credential: str = ""
    """The id of the token or session."""
    scopes: frozenset[Scope] = EVERYTHING
    is_admin: bool = False
    signed_in: float = 0.0
    """When the person in a browser last proved who they are to their provider."""
    mfa: bool = False
    projects: Mapping[str, Role] = field(default_factory=dict)
    """The role in each of their projects, by id."""
    courses: frozenset[str] = frozenset()
    """Projects in which only managers see the work of others."""
    address: str = ""
