"""Sign-in, sessions, identities, invitations; and what administrators see."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from diamond.service.access.principal import Scope
from diamond.service.platform.http.schemas import Body
from diamond.service.projects.schemas import ONE_LINE, ProjectRole

LOOPBACK = r"^$|^http://(127\.0\.0\.1|\[::1\]):[0-9]{1,5}/[A-Za-z0-9_-]{0,100}$"
EMAIL = r"^$|^[^@\s,;<>\"]+@[^@\s,;<>\"]+$"


class SignInProvider(BaseModel):
    name: str
    title: str
    url: str
    """Where a browser starts; `next`, `fresh`, `link` and `invitation` may be added."""


class SignInWays(BaseModel):
    mode: Literal["embedded", "shared"]
    items: list[SignInProvider]


class SignedOut(BaseModel):
    url: str | None = None
    """Where the browser ends its session at the provider too."""


class Session(BaseModel):
    id: str
    created: float
    seen: float
    expires: float
    signed_in: float
    mfa: bool
    provider: str
    address: str
    browser: str
    is_this: bool
    """The browser that asks."""


class IdentityShown(BaseModel):
    issuer: str
    subject: str
    provider: str
    name: str
    email: str
    created: float
    seen: float


class InvitationRequest(Body):
    email: str = Field(default="", max_length=254, pattern=EMAIL)
    """Empty: anyone with the link."""
    days: float = Field(default=14.0, gt=0, le=365)


class ProjectInvitationRequest(InvitationRequest):
    role: ProjectRole = "member"


class Invitation(BaseModel):
    id: str
    email: str
    project: str
    role: str
    created: float
    expires: float
    used: float | None
    used_by: str


class NewInvitation(Invitation):
    url: str
    code: str


class InvitationShown(BaseModel):
    """What somebody sees who was sent a link."""

    by: str
    """Who sent it."""
    project: str
    """Its name; empty: to this Diamond alone."""
    role: str
    expires: float


class InvitationCode(Body):
    code: str = Field(max_length=200)


class DeviceRequest(Body):
    name: str = Field(default="diamond login", min_length=1, max_length=80, pattern=ONE_LINE)
    """The program and the machine, for the user to recognise."""
    scopes: list[Scope] = Field(default=[], max_length=len(Scope))
    redirect: str = Field(default="", max_length=200, pattern=LOOPBACK)
    """An address on the machine of both program and browser, where the browser brings the answer."""


class DeviceAsked(BaseModel):
    device_code: str
    user_code: str
    url: str
    interval: float
    expires: float


class DeviceCode(Body):
    device_code: str = Field(max_length=200)
    word: str = Field(default="", max_length=200)
    """`code` of the redirect, for a program that asked for one."""


class DeviceToken(BaseModel):
    state: Literal["waiting", "accepted", "refused"]
    token: str | None


class DeviceShown(BaseModel):
    user_code: str
    name: str
    scopes: list[Scope]
    address: str
    created: float
    expires: float
    state: Literal["waiting", "accepted", "refused"]


class DeviceWord(Body):
    accept: bool


class DeviceDecided(BaseModel):
    redirect: str | None = None
    """Where the browser goes next: to the program, which waits for it."""


class User(BaseModel):
    id: str
    name: str
    email: str
    is_admin: bool
    disabled: float | None
    seen: float | None
    created: float


class UserChange(Body):
    is_admin: bool | None = None
    disabled: bool | None = None


class ProviderSettings(BaseModel):
    name: str
    title: str
    issuer: str
    kind: str
    scope: str


class ServiceSettings(BaseModel):
    """The settings of diamond.toml, without its secrets."""

    mode: Literal["embedded", "shared"]
    url: str
    database: Literal["SQLite", "PostgreSQL"]
    own_certificate: bool
    providers: list[ProviderSettings]
    admins: list[str]
    email_domains: list[str]
    idps: list[str]
    affiliations: list[str]
    groups: list[str]
    session_days: float
    calls_per_minute: float
    """0: no limit."""
    fresh_minutes: float
    mfa: bool
    sends_mail: bool
    webhook_private: bool


class AuditLine(BaseModel):
    n: int
    at: float
    user: str
    name: str
    action: str
    about: dict[str, str]
    outcome: str
    address: str
    credential: str
    """The id of the token or session."""
    words: str
    """What was done, as a person would say it."""
