"""The caller: tokens, settings and notifications."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from diamond.service.access.principal import Scope
from diamond.service.platform.http.schemas import Body

NoticeKind = Literal[
    "succeeded", "failed", "cancelled", "asking", "sign-in", "confirm", "quota", "purge", "people"
]
Channel = Literal["email", "webhook"]


class Health(BaseModel):
    ok: bool
    version: str
    instance: str
    mode: str


class Me(BaseModel):
    id: str
    name: str
    email: str = ""
    is_admin: bool = False
    scopes: list[Scope] = []
    """What this sign-in may do."""
    mode: Literal["embedded", "shared"] = "embedded"
    """The Diamond of one person, or of many people."""


class TokenRequest(Body):
    name: str = Field(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f]+$")
    days: float | None = Field(default=None, gt=0, le=3650)
    scopes: list[Scope] = Field(default=[], max_length=len(Scope))
    """Empty: all of the caller's own but `admin`."""


class Token(BaseModel):
    id: str
    name: str
    created: float
    expires: float | None
    used: float | None = None
    """To the minute."""
    scopes: list[Scope] = []


class NewToken(Token):
    token: str


class Link(BaseModel):
    url: str


class Preferences(Body):
    """Defaults of the composer, and how the pages look. PUT replaces all of it."""

    endpoint: str = Field(default="", max_length=64)
    partition: str = Field(default="", max_length=200)
    account: str = Field(default="", max_length=200)
    appearance: Literal["auto", "light", "dark"] = "auto"
    guide_done: bool = False
    """The first-visit guide was finished or closed."""


class EmailSettings(Body):
    address: str = Field(default="", max_length=254, pattern=r"^$|^[^@\s,;<>\"]+@[^@\s,;<>\"]+$")
    events: list[NoticeKind] = []


class WebhookSettings(Body):
    url: str = Field(default="", max_length=2000)
    events: list[NoticeKind] = []
    secret: str | None = Field(default=None, max_length=200)
    """Signs each call. Never shown again: null keeps the stored one, an empty text removes it."""


class PageSettings(Body):
    events: list[NoticeKind] = [
        "succeeded",
        "failed",
        "asking",
        "sign-in",
        "confirm",
        "quota",
        "purge",
        "people",
    ]


class NotificationSettings(Body):
    page: PageSettings = Field(default_factory=PageSettings)
    email: EmailSettings = Field(default_factory=EmailSettings)
    webhook: WebhookSettings = Field(default_factory=WebhookSettings)


class NotificationSettingsShown(BaseModel):
    page: PageSettings
    email: EmailSettings
    webhook: WebhookSettings
    has_secret: bool
    email_ready: bool
    """Whether this service can send mail: its SMTP server is set."""
    kinds: list[NoticeKind]


class Delivery(BaseModel):
    """How a notification was sent by e-mail or webhook, or will be."""

    channel: Channel
    state: Literal["waiting", "sent", "failed"]
    tries: int
    error: str = ""


class Notification(BaseModel):
    id: str
    kind: NoticeKind
    title: str
    text: str
    task: str = ""
    endpoint: str = ""
    at: float
    read: float | None = None
    deliveries: list[Delivery] = []


class NotificationPage(BaseModel):
    items: list[Notification]
    next: str | None = None
    unread: int


class ReadRequest(Body):
    ids: list[str] | None = Field(default=None, max_length=500)
    """Left out: all."""


class Unread(BaseModel):
    unread: int


class NotificationEvent(Notification):
    n: int
    unread: int


class TrialRequest(Body):
    channel: Channel
