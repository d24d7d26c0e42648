"""Rows as the API shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from diamond.core.batch_systems import with_abilities
from diamond.core.corrected import corrected
from diamond.service.chain_view import show_attempts, show_chain, show_happened
from diamond.service.settings import Settings

TASK_COLUMNS = (
    "id",
    "job",
    "name",
    "kind",
    "owner",
    "state",
    "phase",
    "native_state",
    "reason",
    "message",
    "exit_code",
    "signal",
    "as_of",
    "created",
    "updated",
    "started",
    "ended",
    "node",
    "attempt",
    "retry_of",
    "order",
    "digest",
    "code",
    "cancel_requested",
    "version",
    "run_dir",
    "cleaned",
    "awaits",
    "project",
    "prediction",
)
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


def show_task(row: Mapping[str, Any]) -> dict[str, Any]:
    shown = {name: row[name] for name in TASK_COLUMNS}
    attempts = show_attempts(row["attempts"])
    current = [one["native_id"] for one in attempts if one["id"] == row["attempt"]]
    return {
        **shown,
        "endpoint": row["endpoint_name"],
        "attempts": attempts,
        "native_id": current[0] if current else "",
        "chain": show_chain(row),
        "happened": show_happened(row),
    }


def show_job(row: Mapping[str, Any], tasks: list[str]) -> dict[str, Any]:
    shown = {
        name: row[name]
        for name in ("id", "name", "created", "owner", "project", "spec", "code", "digest")
    }
    return {**shown, "tasks": tasks}


def show_endpoint(row: Mapping[str, Any], settings: Settings) -> dict[str, Any]:
    shown = {name: row[name] for name in ENDPOINT_COLUMNS}
    return {
        **shown,
        "default": row["is_default"],
        "profile": {**show_profile(row), "values": effective_facts(row)},
        "policy": {**NO_POLICY, **(row["policy"] or {})},
        "revive": revive_line(row),
    }


def show_notification(
    row: Mapping[str, Any], sending: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    names = ("id", "kind", "title", "text", "task", "endpoint", "at", "read")
    shown = ("channel", "state", "tries", "error")
    return {
        **{name: row[name] for name in names},
        "deliveries": [{name: one[name] for name in shown} for one in sending],
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
