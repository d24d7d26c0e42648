"""A site profile in words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from diamond.cli.words import age
from diamond.core.units import show_bytes, show_minutes


def summary(profile: dict[str, Any]) -> str:
    """Slurm 22.05.8, 3 partitions; or: this machine, 8 cores."""
    scheduler = value_of(profile, "scheduler") or {}
    if scheduler.get("name") == "local":
        return f"this machine, {value_of(profile, 'cores') or '?'} cores"
    if not scheduler:
        return "not probed yet"
    partitions = value_of(profile, "partitions") or []
    name = f"{str(scheduler.get('name', '')).capitalize()} {scheduler.get('version', '')}".strip()
    return f"{name}, {len(partitions)} partition(s)"


def profile_lines(profile: dict[str, Any]) -> Iterator[str]:
    """Every fact with how and when it was learned; a correction stands before what it corrects."""
    corrections = profile.get("corrections") or {}
    facts = profile.get("facts") or {}
    for name in sorted({*facts, *corrections}):
        if name in corrections:
            yield f"{name}: {_words(name, corrections[name].get('value'))} (corrected by hand)"
        fact = facts.get(name)
        if isinstance(fact, dict):
            learned = f"{fact.get('source', '')}, {age(fact.get('at'))}".strip(", ")
            yield f"{name}: {_words(name, fact.get('value'))} ({learned})"


def value_of(profile: dict[str, Any], name: str) -> Any:
    """A fact's value, with the correction if there is one."""
    for kind in ("corrections", "facts"):
        found = (profile.get(kind) or {}).get(name)
        if isinstance(found, dict) and "value" in found:
            return found["value"]
    return None


def _words(name: str, value: Any) -> str:
    if name == "partitions" and isinstance(value, list):
        return "; ".join(_partition(one) for one in value)
    if name == "accounts" and isinstance(value, list):
        return ", ".join(str(one.get("name", one)) for one in value)
    if name == "folders" and isinstance(value, dict):
        return "; ".join(_folder(kind, one) for kind, one in value.items())
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _partition(one: dict[str, Any]) -> str:
    gpus = ", ".join(
        f"{count} {kind} GPUs" for kind, count in (one.get("gpus_per_node") or {}).items()
    )
    most = one.get("max_minutes")
    words = [
        f"{one.get('nodes_total', '?')} nodes of {one.get('cpus_per_node', '?')} CPUs",
        gpus,
        f"up to {show_minutes(int(most))}" if most else "",
    ]
    star = "*" if one.get("default") else ""
    return f"{one.get('name')}{star} ({', '.join(word for word in words if word)})"


def _folder(kind: str, one: dict[str, Any]) -> str:
    words = [show_bytes(one["free_bytes"]) + " free" if one.get("free_bytes") else ""]
    if one.get("quota_bytes"):
        words.append(f"quota {show_bytes(one['quota_bytes'])}")
    if one.get("purge_days"):
        words.append(f"purged after {one['purge_days']} days")
    return f"{kind} {one.get('path')} ({', '.join(word for word in words if word)})"
