"""The facts that hold for an endpoint: what was probed, and the corrections that win over it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from diamond.compose.profile_facts import well_formed_facts
from diamond.core.batch_systems import with_abilities
from diamond.core.corrections import corrected
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.platform.database.rows import JsonObject, value_from

Facts = dict[str, Any]
"""Values by the name of the fact; `compose.profile_facts` has the form of each."""


@dataclass(frozen=True)
class Fact:
    """One fact as it is stored."""

    value: JsonValue
    at: float | None = None
    """When it was learned."""
    source: str = ""
    """The program that was asked, or the person who corrected it."""


@dataclass(frozen=True)
class FolderFact:
    """The fact `folders` of one folder; what is not known is None."""

    path: str = ""
    free_bytes: int | None = None
    quota_bytes: int | None = None
    free_files: int | None = None
    quota_files: int | None = None
    purge_days: float | None = None
    """The site removes files after so many days."""


def read_fact(stored: JsonValue) -> Fact | None:
    """None for what is not a fact."""
    if not isinstance(stored, dict) or "value" not in stored:
        return None
    at = stored.get("at")
    return Fact(
        value=stored["value"],
        at=float(at) if isinstance(at, (int, float)) else None,
        source=str(stored.get("by") or stored.get("source") or ""),
    )


def read_facts(stored: JsonObject) -> dict[str, Fact]:
    facts = {name: read_fact(fact) for name, fact in stored.items()}
    return {name: fact for name, fact in facts.items() if fact is not None}


def known_facts(endpoint: EndpointRow) -> dict[str, Fact]:
    """A correction in place of what was probed."""
    return {**read_facts(endpoint.profile.facts), **read_facts(endpoint.corrections)}


def effective_facts(endpoint: EndpointRow) -> Facts:
    """Each fact's value; of a corrected folder also what was probed of it."""
    probed, corrections = read_facts(endpoint.profile.facts), read_facts(endpoint.corrections)
    return with_abilities(corrected(_values(probed), _values(corrections)))


def facts_of(endpoint: EndpointRow) -> Facts:
    """The facts of an endpoint in the known forms; others are left out."""
    return well_formed_facts(effective_facts(endpoint))


def fact_time(endpoint: EndpointRow, name: str) -> float | None:
    """When a fact was learned."""
    fact = known_facts(endpoint).get(name)
    return fact.at if fact else None


def folder_facts(endpoint: EndpointRow) -> dict[str, FolderFact]:
    """By name: keep, work, tmp."""
    folders = facts_of(endpoint).get("folders") or {}
    return {name: value_from(FolderFact, folder) for name, folder in folders.items()}


def cluster_of(facts: JsonObject) -> str:
    """The name of the cluster, as agents of one cluster report it."""
    fact = read_fact(facts.get("cluster"))
    return str(fact.value) if fact else ""


def _values(facts: dict[str, Fact]) -> Facts:
    return {name: fact.value for name, fact in facts.items()}
