"""Endpoints as the API shows them, and the facts that hold for each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diamond.core.batch_systems import with_abilities
from diamond.core.corrected import corrected
from diamond.core.protocol import VERSION
from diamond.service.settings import Settings

NO_POLICY = {"egress": "all", "lease_until": None, "require_signed": False, "community": False}


ENDPOINT_COLUMNS = (
    "id",
    "name",
    "owner",
    "state",
    "carrier",
    "ssh_host",
    "host",
    "user",
    "agent_version",
    "last_seen",
    "since",
    "stays",
    "retention",
    "created",
)


def show_endpoint(row: Mapping[str, Any], settings: Settings) -> dict[str, Any]:
    shown = {name: row[name] for name in ENDPOINT_COLUMNS}
    return {
        **shown,
        "default": row["is_default"],
        "profile": {**show_profile(row), "values": effective_facts(row)},
        "policy": {**NO_POLICY, **(row["policy"] or {})},
        "revive": revive_line(row),
        "outdated": outdated_words(row, settings),
    }


def show_profile(row: Mapping[str, Any]) -> dict[str, Any]:
    """As exported: what was probed, and the corrections that win over it."""
    profile = row["profile"] or {}
    return {
        "version": 1,
        "probed_at": profile.get("probed_at"),
        "facts": profile.get("facts") or {},
        "corrections": row["corrections"] or {},
    }


def effective_facts(row: Mapping[str, Any]) -> dict[str, Any]:
    """Each fact's value, a correction before what was probed."""
    profile = show_profile(row)
    found = corrected(_values(profile["facts"]), _values(profile["corrections"]))
    return with_abilities(found)


def _values(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: fact["value"]
        for name, fact in facts.items()
        if isinstance(fact, dict) and "value" in fact
    }


def outdated_words(row: Mapping[str, Any], settings: Settings) -> str:
    """Why an endpoint gets no new work, and what to do; '' where it does."""
    if not row["generation"] or row["protocol"] >= VERSION:
        return ""
    words = (
        f"Its agent ({row['agent_version'] or 'of an unknown version'}) is too old to be given new work: "
        "it could be made to run other people's code. Jobs that it has already go on, new ones wait. "
    )
    if row["carrier"] != "https":
        return words + f"Start it again: {revive_line(row)}"
    if (row["policy"] or {}).get("stands"):
        return words + f"Put {settings.url}/agent.pyz on the machine by hand, and start it again."
    return words + f"Upgrade it: diamond endpoint upgrade {row['name']}"


def revive_line(row: Mapping[str, Any]) -> str:
    """What to type when the endpoint is away."""
    if row["carrier"] == "local":
        return f"diamond endpoint start {row['name']}"
    if row["carrier"] == "ssh":
        return f"diamond endpoint connect {row['name']}"
    place = f" # on {row['host']} as {row['user']}" if row["host"] else ""
    return f"python3 ~/.diamond-agent/agent.pyz run --endpoint {row['id']}{place}"


def pairing_line(settings: Settings) -> str:
    """One line to paste on a login node; the code is asked for, so that it stays out of `ps` and history."""
    url = settings.url
    return (
        "mkdir -p ~/.diamond-agent && "
        f"curl -fsS {url}/agent.pyz -o ~/.diamond-agent/agent.pyz && "
        f"python3 ~/.diamond-agent/agent.pyz pair --url {url}"
    )
