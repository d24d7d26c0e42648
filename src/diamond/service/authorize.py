"""Who may do what: decided here and nowhere else; what is not allowed is denied."""

from __future__ import annotations

from enum import StrEnum

from diamond.core.errors import NotFound
from diamond.service.principal import Kind, Principal


class Action(StrEnum):
    READ = "read"
    WRITE = "write"
    """Make, change or end something."""
    REPORT = "report"
    """Say what happened on a machine; take its commands."""


def may(principal: Principal, action: Action, *, owner: str, endpoint: str = "") -> bool:
    if principal.kind is Kind.PERSON:
        return action in (Action.READ, Action.WRITE) and owner == principal.user
    if principal.kind is Kind.AGENT:
        own = owner == principal.user and endpoint == principal.endpoint
        return action is Action.REPORT and own and bool(endpoint)
    return False


def require(
    principal: Principal, action: Action, *, owner: str, endpoint: str = "", what: str = "thing"
) -> None:
    """Another person's things look like no things."""
    if not may(principal, action, owner=owner, endpoint=endpoint):
        raise NotFound(f"There is no such {what}", "It may belong to somebody else.")
