"""What a provider says of a person, and whether that lets her in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from diamond.service.platform.people_settings import People, Provider


@dataclass(frozen=True)
class Identity:
    """Known by issuer and subject, which never change; everything else may."""

    issuer: str
    subject: str
    provider: str
    name: str = ""
    email: str = ""
    """Only an address that the provider says it has verified; else empty."""
    mfa: bool = False
    signed_in: float | None = None
    """When she proved it to the provider, if that tells."""
    claims: Mapping[str, Any] = field(default_factory=dict)
    id_token: str = field(default="", repr=False)


def read_identity(provider: Provider, claims: Mapping[str, Any], id_token: str = "") -> Identity:
    """From claims that were verified."""
    verified = claims.get("email_verified") in (True, "true")
    named = claims.get("name") or claims.get("preferred_username") or ""
    return Identity(
        issuer=str(claims["iss"]),
        subject=str(claims["sub"]),
        provider=provider.name,
        name=_line(named),
        email=_line(claims.get("email", "")).lower() if verified else "",
        mfa=_has_second_factor(provider, claims),
        signed_in=_time(claims.get("auth_time")),
        claims=claims,
        id_token=id_token,
    )


def is_admin(people: People, identity: Identity) -> bool:
    return bool(identity.email) and identity.email in people.admins


def admits(people: People, identity: Identity) -> bool:
    """Whether the settings give an account to whoever comes so; signing in alone never does."""
    domain = identity.email.rpartition("@")[2]
    return (
        is_admin(people, identity)
        or (bool(domain) and domain in people.email_domains)
        or str(identity.claims.get("idp", "")) in people.idps
        or bool(_values(identity.claims.get("affiliation"), ";") & people.affiliations)
        or bool(_groups(identity.claims) & people.groups)
    )


def _groups(claims: Mapping[str, Any]) -> set[str]:
    return _values(claims.get("groups"), ",") | _values(claims.get("isMemberOf"), ",")


def _values(value: Any, between: str) -> set[str]:
    """Providers give several values as a list, or as one text."""
    if isinstance(value, list):
        return {str(one) for one in value}
    return {one.strip() for one in str(value or "").split(between)} - {""}


def _has_second_factor(provider: Provider, claims: Mapping[str, Any]) -> bool:
    return bool(_values(claims.get("amr"), " ") & set(provider.mfa_amr)) or (
        str(claims.get("acr", "")) in provider.mfa_acr
    )


def _time(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None


def _line(value: Any) -> str:
    return " ".join(str(value or "").split())[:200]
