"""The `[people]` part of diamond.toml: who may sign in, by whom, and what a sign-in is good for."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from diamond.core.errors import BadRequest
from diamond.service.access.authorize import Freshness

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


@dataclass(frozen=True)
class Provider:
    """A service that people sign in with."""

    name: str
    client_id: str
    client_secret: str = field(repr=False)
    issuer: str = ""
    title: str = ""
    scope: str = "openid profile email"
    kind: str = "oidc"
    """`oidc`, or `github`, which speaks OAuth2 alone."""
    mfa_amr: tuple[str, ...] = ("mfa", "otp", "hwk", "swk", "fpt", "sc")
    """Values of `amr` that mean a second factor (RFC 8176)."""
    mfa_acr: tuple[str, ...] = ("https://refeds.org/profile/mfa",)


@dataclass(frozen=True)
class People:
    providers: tuple[Provider, ...] = ()
    admins: frozenset[str] = frozenset()
    """Verified addresses whose accounts are administrators'."""
    email_domains: frozenset[str] = frozenset()
    """People with a verified address in these domains get an account by signing in."""
    idps: frozenset[str] = frozenset()
    """CILogon's `idp`: the entity id of the institution where the person signed in."""
    affiliations: frozenset[str] = frozenset()
    """CILogon's `affiliation`, such as member@example.edu."""
    groups: frozenset[str] = frozenset()
    """One of these in the claim `groups` or `isMemberOf`."""
    session_days: float = 30.0
    calls_per_minute: float = 1200.0
    """From one token, browser or address; 0: no limit."""
    freshness: Freshness = field(default_factory=Freshness)


PRESETS: dict[str, dict[str, str]] = {
    "globus": {"issuer": "https://auth.globus.org", "title": "Globus"},
    "cilogon": {
        "issuer": "https://cilogon.org",
        "title": "CILogon",
        "scope": "openid profile email org.cilogon.userinfo",
    },
    "orcid": {"issuer": "https://orcid.org", "title": "ORCID", "scope": "openid"},
    "google": {"issuer": "https://accounts.google.com", "title": "Google"},
    "github": {
        "issuer": "https://github.com",
        "title": "GitHub",
        "kind": "github",
        "scope": "read:user user:email",
    },
}
LISTS = ("admins", "email_domains", "idps", "affiliations", "groups")
NUMBERS = ("session_days", "fresh_minutes", "calls_per_minute")
PROVIDER_WORDS = (
    "preset",
    "issuer",
    "title",
    "scope",
    "client_id",
    "client_secret_file",
    "client_secret_env",
    "mfa_amr",
    "mfa_acr",
)


def read_people(path: Path, env: Mapping[str, str] = os.environ) -> People:
    """Raises BadRequest with the valid words for anything else."""
    try:
        table = tomllib.loads(path.read_text()).get("people", {})
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise BadRequest(f"{path} cannot be read: {error}") from None
    _only(table, (*LISTS, *NUMBERS, "mfa", "providers"), "people")
    providers = table.get("providers", {})
    return People(
        providers=tuple(_provider(name, provider, env) for name, provider in providers.items()),
        freshness=Freshness(_number(table, "fresh_minutes", 0.0), bool(table.get("mfa", False))),
        session_days=_number(table, "session_days", 30.0),
        calls_per_minute=_number(table, "calls_per_minute", 1200.0),
        **{name: _names(table, name) for name in LISTS},
    )


def _provider(name: str, table: Mapping[str, Any], env: Mapping[str, str]) -> Provider:
    where = f"people.providers.{name}"
    _only(table, PROVIDER_WORDS, where)
    preset = str(table.get("preset", ""))
    if preset and preset not in PRESETS:
        raise BadRequest(f"{where}: no preset {preset!r}", f"Presets: {', '.join(PRESETS)}.")
    known = {column.name for column in fields(Provider)}
    given = {key: _value(value) for key, value in table.items() if key in known}
    merged = {"title": name, **PRESETS.get(preset, {}), **given}
    if not merged.get("issuer") or not merged.get("client_id"):
        raise BadRequest(f"{where} needs an issuer (or a preset) and a client_id")
    _check_issuer(where, str(merged["issuer"]))
    return Provider(name=name, client_secret=_secret(where, table, env), **merged)


def _secret(where: str, table: Mapping[str, Any], env: Mapping[str, str]) -> str:
    """From a file or a variable, since people mail diamond.toml to one another."""
    if "client_secret_file" in table:
        try:
            return Path(str(table["client_secret_file"])).read_text().strip()
        except OSError as error:
            raise BadRequest(f"{where}.client_secret_file: {error}") from None
    name = str(table.get("client_secret_env", ""))
    if name and not env.get(name):
        raise BadRequest(f"{where}.client_secret_env: {name} is not set")
    return env.get(name, "")


def _check_issuer(where: str, issuer: str) -> None:
    if not is_safe_address(issuer):
        raise BadRequest(f"{where}.issuer: {issuer} is not an https:// address")


def is_safe_address(url: str) -> bool:
    """Whether what is sent there cannot be read or changed on the way."""
    parts = urlsplit(url)
    is_here = parts.scheme == "http" and parts.hostname in LOOPBACK
    return bool(parts.hostname) and (parts.scheme == "https" or is_here)


def _only(table: Any, known: tuple[str, ...], where: str) -> None:
    unknown = sorted(set(table) - set(known)) if isinstance(table, dict) else [str(table)]
    if unknown:
        raise BadRequest(
            f"{where} has unknown settings: {', '.join(unknown)}", f"Settings: {', '.join(known)}."
        )


def _names(table: Mapping[str, Any], name: str) -> frozenset[str]:
    given = table.get(name, [])
    if not isinstance(given, list) or not all(isinstance(word, str) for word in given):
        raise BadRequest(f"people.{name} is a list of texts", f'Such as: {name} = ["example.edu"]')
    lower = name in ("admins", "email_domains")
    return frozenset(word.lower() if lower else word for word in given)


def _number(table: Mapping[str, Any], name: str, default: float) -> float:
    given = table.get(name, default)
    if isinstance(given, bool) or not isinstance(given, (int, float)) or given < 0:
        raise BadRequest(f"people.{name} is a number, 0 or more")
    return float(given)


def _value(value: Any) -> Any:
    return tuple(str(item) for item in value) if isinstance(value, list) else str(value)
