"""Rows of sign-in as frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from diamond.service.platform.database.rows import TypedRow

DeviceState = Literal["waiting", "accepted", "refused"]


@dataclass(frozen=True)
class IdentityRow(TypedRow):
    """A person as a provider knows them."""

    issuer: str
    subject: str
    owner: str
    provider: str
    name: str
    email: str
    created: float
    seen: float


@dataclass(frozen=True)
class InvitationRow(TypedRow):
    """An invitation to this Diamond or to a project."""

    id: str
    owner: str
    hash: str
    email: str
    project: str
    role: str
    created: float
    expires: float
    used: float | None
    used_by: str


@dataclass(frozen=True)
class DeviceRow(TypedRow):
    """A program that waits for a person to let it in."""

    hash: str
    user_code: str
    owner: str | None
    state: DeviceState
    name: str
    scopes: str
    address: str
    created: float
    expires: float
    maker: str
    redirect: str
    word_hash: str
