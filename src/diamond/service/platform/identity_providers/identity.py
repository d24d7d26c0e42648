"""What a provider says about a person, and whether that gives them an account."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue

from diamond.service.platform.people_settings import People, Provider


@dataclass(frozen=True)
class Identity:
    """Known by issuer and subject, which never change; everything else may."""

    issuer: str
    subject: str
    provider: str
    name: str = ""
    email: str = ""
    """Only an address that the provider has verified; else empty."""
    mfa: bool = False
    signed_in: float | None = None
    """When the person last proved who they are to the provider, if it says so."""
    institution: str = ""
    affiliations: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    id_token: str = field(default="", repr=False)


def _line(value: JsonValue) -> str:
    return " ".join(str(value or "").split())[:200]


def _text(value: JsonValue) -> str:
    return "" if value is None else str(value)


def _time(value: JsonValue) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None


class Claims(BaseModel):
    """The claims that Diamond reads; providers send many more, and of any type."""

    model_config = ConfigDict(extra="ignore")

    iss: Annotated[str, BeforeValidator(str)]
    sub: Annotated[str, BeforeValidator(str)]
    name: Annotated[str, BeforeValidator(_line)] = ""
    preferred_username: Annotated[str, BeforeValidator(_line)] = ""
    email: Annotated[str, BeforeValidator(_line)] = ""
    email_verified: JsonValue = None
    auth_time: Annotated[float | None, BeforeValidator(_time)] = None
    amr: JsonValue = None
    acr: Annotated[str, BeforeValidator(_text)] = ""
    idp: Annotated[str, BeforeValidator(_text)] = ""
    affiliation: JsonValue = None
    groups: JsonValue = None
    member_of: JsonValue = Field(default=None, alias="isMemberOf")


def read_identity(
    provider: Provider, data: Mapping[str, JsonValue], id_token: str = ""
) -> Identity:
    """From claims that were verified."""
    claims = Claims.model_validate(data)
    is_verified = claims.email_verified in (True, "true")
    return Identity(
        issuer=claims.iss,
        subject=claims.sub,
        provider=provider.name,
        name=claims.name or claims.preferred_username,
        email=claims.email.lower() if is_verified else "",
        mfa=_has_second_factor(provider, claims),
        signed_in=claims.auth_time,
        institution=claims.idp,
        affiliations=_values(claims.affiliation, ";"),
        groups=_values(claims.groups, ",") | _values(claims.member_of, ","),
        id_token=id_token,
    )


def is_admin(people: People, identity: Identity) -> bool:
    return bool(identity.email) and identity.email in people.admins


def admits(people: People, identity: Identity) -> bool:
    """Whether the settings give an account to this person; signing in alone never does."""
    domain = identity.email.rpartition("@")[2]
    return (
        is_admin(people, identity)
        or (bool(domain) and domain in people.email_domains)
        or identity.institution in people.idps
        or bool(identity.affiliations & people.affiliations)
        or bool(identity.groups & people.groups)
    )


def _values(value: JsonValue, separator: str) -> frozenset[str]:
    """Providers send several values as a list, or as one text."""
    if isinstance(value, list):
        return frozenset(str(part) for part in value)
    return frozenset(part.strip() for part in str(value or "").split(separator)) - {""}


def _has_second_factor(provider: Provider, claims: Claims) -> bool:
    methods = _values(claims.amr, " ")
    return bool(methods & set(provider.mfa_amr)) or claims.acr in provider.mfa_acr
