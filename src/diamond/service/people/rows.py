"""Rows of people as frozen values."""

from __future__ import annotations

from dataclasses import dataclass

from diamond.service.platform.database.rows import TypedRow


@dataclass(frozen=True)
class UserRow(TypedRow):
    """A person."""

    id: str
    name: str
    email: str
    is_admin: bool
    disabled: float | None
    seen: float | None
    created: float


@dataclass(frozen=True)
class CredentialRow(TypedRow):
    """A token or a one-time link."""

    id: str
    owner: str
    kind: str
    name: str
    hash: str
    created: float
    expires: float | None
    scopes: str
    used: float | None
    maker: str


@dataclass(frozen=True)
class CallerCredentialRow(CredentialRow):
    """A credential with the person it belongs to."""

    user_name: str
    is_admin: bool
    disabled: float | None


@dataclass(frozen=True)
class TakenCredentialRow(TypedRow):
    """A one-time credential that was used up."""

    owner: str
    maker: str


@dataclass(frozen=True)
class SessionRow(TypedRow):
    """A browser that is signed in."""

    id: str
    owner: str
    hash: str
    before_hash: str | None
    before_until: float
    created: float
    renewed: float
    seen: float
    expires: float
    signed_in: float
    mfa: bool
    provider: str
    id_token: str
    address: str
    browser: str
    maker: str


@dataclass(frozen=True)
class CallerSessionRow(SessionRow):
    """A session with the person it belongs to."""

    user_name: str
    is_admin: bool
    disabled: float | None
