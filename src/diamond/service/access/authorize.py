"""Who may do what: decided here and nowhere else; what is not allowed is denied.

Two questions are asked of every call. `admit`: may this caller make this call at all (`rules.py`)? `may`: what is their role towards the thing it is about?
"""

from __future__ import annotations

import time
from collections.abc import Set
from dataclasses import dataclass
from enum import StrEnum

from diamond.core.errors import Forbidden, NotFound
from diamond.service.access.principal import LOCAL_USER, Kind, Principal, Role, Scope
from diamond.service.access.rules import RULES, Rule, Who


class Action(StrEnum):
    READ = "read"
    STOP = "stop"
    """End somebody's work, as a project's manager must be able to."""
    WRITE = "write"
    """Make or change something."""
    REPORT = "report"
    """Say what happened on a machine; take its commands."""


NEEDED = {Action.READ: Role.VIEWER, Action.STOP: Role.MANAGER, Action.WRITE: Role.OWNER}
"""The lowest role that an action needs. No role in a project lets somebody act as another person: only an owner writes."""


@dataclass(frozen=True)
class Freshness:
    """What the settings ask of a browser's sign-in before work is started or a token made."""

    minutes: float = 0.0
    """0: any sign-in that is still good."""
    mfa: bool = False

    @property
    def is_asked(self) -> bool:
        return bool(self.minutes) or self.mfa


def rule_of(method: str, path: str) -> Rule:
    """Of a call by its template; deny by default."""
    rule = RULES.get(f"{method} {path}")
    if rule is None:
        raise Forbidden(f"Nobody may {method} {path}: no rule says who", code="no-rule")
    return rule


def admit(principal: Principal, rule: Rule, freshness: Freshness) -> None:
    """Whether the caller may make such a call at all."""
    if rule.who is Who.AGENT or principal.kind is not Kind.PERSON:
        raise Forbidden("This call is for the agents of machines")
    if rule.scope is not None:
        require_scopes(principal, {rule.scope})
    if rule.who is Who.ADMIN and not principal.is_admin:
        raise Forbidden("This is for administrators", "Ask one of those who run this Diamond.")
    if rule.fresh and principal.by_cookie:
        _require_fresh(principal, freshness)
    elif rule.makes_way and freshness.is_asked and principal.user != LOCAL_USER:
        raise Forbidden(
            "This asks for a fresh sign-in, which a token is not",
            "Do it on the pages, after signing in.",
            code="fresh-sign-in",
        )


def require_scopes(principal: Principal, scopes: Set[Scope]) -> None:
    """Nobody passes on scopes that they do not have, neither by a link nor to a program that asks to be let in."""
    lacking = sorted(scope.value for scope in scopes - principal.scopes)
    if lacking:
        raise Forbidden(
            f"This token is not good for this: it lacks the scope {lacking[0]!r}",
            "Make another with `diamond token create NAME --scope SCOPE`.",
            code="scope",
        )


def _require_fresh(principal: Principal, freshness: Freshness) -> None:
    if freshness.minutes and time.time() - principal.signed_in > 60 * freshness.minutes:
        raise Forbidden(
            f"This asks for a sign-in of the last {freshness.minutes:g} minutes",
            "Sign in again; what you have written stays.",
            code="fresh-sign-in",
        )
    if freshness.mfa and not principal.mfa:
        raise Forbidden(
            "This asks for a sign-in with a second factor",
            "Sign in again with your provider's second factor.",
            code="mfa-needed",
        )


def role_of(
    principal: Principal, *, owner: str, project: str = "", shared: Role | None = None
) -> Role | None:
    """The role of a person towards a thing: as its owner, through its project, or through a share."""
    if principal.kind is not Kind.PERSON:
        return None
    if owner == principal.user:
        return Role.OWNER
    roles = [role for role in (_in_project(principal, project or ""), shared) if role]
    return max(roles, key=lambda role: role.rank, default=None)


def _in_project(principal: Principal, project: str) -> Role | None:
    """Towards the work in it: in a course, students see only their own."""
    role = principal.projects.get(project)
    hides = project in principal.courses and role is not Role.MANAGER
    return None if hides else role


def may(
    principal: Principal,
    action: Action,
    *,
    owner: str,
    endpoint: str = "",
    project: str = "",
    shared: Role | None = None,
) -> bool:
    if action is Action.REPORT:
        own = owner == principal.user and endpoint == principal.endpoint
        return principal.kind is Kind.AGENT and own and bool(endpoint)
    role = role_of(principal, owner=owner, project=project, shared=shared)
    return role is not None and role.rank >= NEEDED[action].rank


def require(
    principal: Principal,
    action: Action,
    *,
    owner: str,
    endpoint: str = "",
    project: str = "",
    shared: Role | None = None,
    what: str = "thing",
) -> None:
    """Things of others look as if they did not exist; for a shared one the message names the missing role."""
    if may(principal, action, owner=owner, endpoint=endpoint, project=project, shared=shared):
        return
    role = role_of(principal, owner=owner, project=project, shared=shared)
    if role is None or action not in NEEDED:
        raise NotFound(f"There is no such {what}", "It may belong to somebody else.")
    raise Forbidden(
        f"You may see this {what}, not change it: that is for its {NEEDED[action].value}",
        "Copy it to run it as your own.",
        code="role",
    )
