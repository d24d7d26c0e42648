"""Endpoints and what is on them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from diamond.service.endpoints.rows import Carrier, Egress, EndpointState
from diamond.service.platform.http.schemas import NAME_PATTERN, Body, ProfileData


class RetentionLimits(BaseModel):
    older_than_days: float | None = None
    max_gigabytes: float | None = None


class EndpointPolicy(BaseModel):
    """The machine's own policy, which no service can change."""

    egress: Egress = "all"
    """What leaves it: everything; logs and metrics, no files; states of tasks alone."""
    lease_until: float | None = None
    """Until when its pairing is good; null: it was not paired."""
    require_signed: bool = False
    """It takes only orders that a listed key has signed."""
    community: bool = False
    """The site has declared its Unix account a community account: who sees its profile may run there."""


class Endpoint(BaseModel):
    id: str
    name: str
    owner: str
    state: EndpointState
    carrier: Carrier
    ssh_host: str
    host: str
    user: str
    agent_version: str
    last_seen: float | None
    since: float
    default: bool
    stays: str
    """How its agent lives on: resident, cron, scrontab, batch-job, connection."""
    revive: str
    """The line to type when it is away."""
    outdated: str = ""
    """Why it gets no new work until its agent is upgraded, and how; empty where it does."""
    profile: ProfileData
    retention: RetentionLimits
    policy: EndpointPolicy
    created: float


class Gpus(BaseModel):
    free: int
    total: int


class PartitionNow(BaseModel):
    name: str
    nodes_idle: int | None = None
    nodes_total: int | None = None
    gpus_idle: int | None = None
    gpus_total: int | None = None
    pending: int | None = None


class BusyHour(BaseModel):
    at: float
    """The beginning of the hour."""
    busy: float
    """The part of its GPUs, or of its nodes, that was in use: from 0 to 1, averaged over the reports of this hour."""
    pending: float
    """Jobs that waited."""


class PartitionLoad(BaseModel):
    name: str
    hours: list[BusyHour]
    """Oldest first; hours without a report are missing."""


class UsedDay(BaseModel):
    at: float
    """The beginning of the day, UTC."""
    tasks: int
    """That started on this day."""
    node_hours: float


class EndpointLoad(BaseModel):
    days: int
    partitions: list[PartitionLoad]
    used: list[UsedDay]
    """By the caller."""


class EndpointRequest(Body):
    name: str = Field(pattern=NAME_PATTERN)
    carrier: Carrier = "https"
    ssh_host: str = Field(default="", max_length=255, pattern=r"^[^\s-][^\s]*$|^$")
    profile: str = Field(default="", max_length=64)
    """The id of a profile that is shared with the caller: what the machine is known to offer."""


class SharedProfile(BaseModel):
    """What another user's endpoint says about its machine."""

    id: str
    name: str
    owner: str
    owner_name: str
    carrier: str
    ssh_host: str
    host: str
    cluster: str
    state: str
    community: bool
    """A community account: the caller may run there without their own agent."""
    profile: ProfileData


class EndpointAdded(BaseModel):
    endpoint: Endpoint
    pairing_code: str | None = None
    line: str | None = None
    key: str | None = None


class Pairing(BaseModel):
    pairing_code: str
    line: str


class Key(BaseModel):
    key: str


class Confirmation(Body):
    accept: bool


class Retention(Body):
    older_than_days: float | None = Field(default=None, gt=0)
    max_gigabytes: float | None = Field(default=None, gt=0)


class EndpointChange(Body):
    name: str | None = Field(default=None, pattern=NAME_PATTERN)
    default: bool | None = None
    corrections: dict[str, Any] | None = None
    retention: Retention | None = None


class ProbeRequest(Body):
    compute: bool = False


class SecretValue(Body):
    value: str = Field(max_length=65536)


class CleanRequest(Body):
    older_than_days: float | None = Field(default=None, ge=0)
    tasks: list[str] | None = None
    dry_run: bool = True


class Cleanable(BaseModel):
    task: str
    name: str
    bytes: int
    ended: float | None


class Cleaned(BaseModel):
    items: list[Cleanable]
    bytes: int
    kept: list[str]
    """Tasks that match and stay: they hold the last copy of a version of a model."""


class BrowsedItem(BaseModel):
    name: str
    path: str
    """Absolute."""
    kind: Literal["folder", "file"]
    size: int | None = None
    modified: float | None = None
    is_usable: bool
    """Whether a spec can name it: not with a colon or letters that cannot be shown."""


class BrowsedFolder(BaseModel):
    """A folder of an endpoint; without one, where to begin."""

    folder: str
    items: list[BrowsedItem]
    next: int | None = None
    """The `start` of the next page."""
    is_cut: bool = False
    """It holds more than can be shown."""
