"""Rows of endpoints as frozen values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Literal, TypeVar

from diamond.service.platform.database.rows import Codec, JsonObject, TypedRow, value_from

Carrier = Literal["https", "ssh", "local"]
EndpointState = Literal["online", "offline", "sign-in", "pairing", "confirming"]
Egress = Literal["all", "logs", "states"]


@dataclass(frozen=True)
class EndpointPolicy:
    """What the machine itself allows; an older agent does not say."""

    egress: Egress = "all"
    lease_until: float | None = None
    require_signed: bool = False
    community: bool = False
    stands: bool = False
    """A policy file stands on the machine: it accepts no agent from a service."""


@dataclass(frozen=True)
class Folders:
    """Diamond's folders on the machine; '' where its agent has not reported yet."""

    keep: str = ""
    work: str = ""
    tmp: str = ""


@dataclass(frozen=True)
class Retention:
    """The owner's limits for run directories."""

    older_than_days: float | None = None
    max_gigabytes: float | None = None


@dataclass(frozen=True)
class SiteProfile:
    """What was probed: facts as the agent reported them (docs/internals/site-profile.md)."""

    probed_at: float | None = None
    facts: JsonObject = field(default_factory=dict)


Value = TypeVar("Value", EndpointPolicy, Folders, Retention, SiteProfile)


def _codec(kind: type[Value], encode: Callable[[Value], Mapping[str, Any]]) -> Codec:
    def decode(stored: Any) -> Value:
        return value_from(kind, stored or {})

    return Codec(decode, encode)


def _given(limits: Retention) -> dict[str, float]:
    return {name: limit for name, limit in asdict(limits).items() if limit is not None}


def _stored_profile(profile: SiteProfile) -> JsonObject:
    return {"version": 1, "probed_at": profile.probed_at, "facts": profile.facts}


@dataclass(frozen=True)
class EndpointRow(TypedRow):
    """A machine with an agent."""

    CODECS: ClassVar[Mapping[str, Codec]] = {
        "folders": _codec(Folders, asdict),
        "profile": _codec(SiteProfile, _stored_profile),
        "corrections": Codec(lambda stored: stored or {}, dict),
        "retention": _codec(Retention, _given),
        "policy": _codec(EndpointPolicy, asdict),
    }

    id: str
    owner: str
    name: str
    carrier: Carrier
    ssh_host: str
    state: EndpointState
    since: float
    created: float
    confirmed: bool
    last_seen: float | None = None
    key_hash: str | None = None
    pairing_hash: str | None = None
    pairing_expires: float | None = None
    generation: int = 0
    epoch: str = ""
    have: int = 0
    host: str = ""
    user: str = ""
    agent_version: str = ""
    protocol: int = 1
    python: str = ""
    stays: str = ""
    folders: Folders = field(default_factory=Folders)
    cluster: str = ""
    is_default: bool = False
    profile: SiteProfile = field(default_factory=SiteProfile)
    corrections: JsonObject = field(default_factory=dict)
    """Facts as a person corrected them, with who and when."""
    retention: Retention = field(default_factory=Retention)
    policy: EndpointPolicy = field(default_factory=EndpointPolicy)
    secrets: list[str] | None = None
    """Their names; None: the agent has not reported them yet."""


@dataclass(frozen=True)
class CallingEndpointRow(EndpointRow):
    """An endpoint by its key, with whether its owner is disabled."""

    disabled: float | None = None


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
    data: JsonObject
    state: str
    created: float
    sent_at: float
    sent_generation: int
