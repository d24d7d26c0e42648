"""A site profile as text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from diamond.cli.format import time_ago
from diamond.cli.output import plural
from diamond.core.batch_systems import read_abilities
from diamond.core.units import show_bytes, show_minutes


def profile_summary(profile: dict[str, Any]) -> str:
    """The batch system with its version and partitions; or: this machine, 8 cores."""
    scheduler = fact_value(profile, "scheduler") or {}
    if is_this_machine(profile):
        return f"this machine, {_number(fact_value(profile, 'cores'), 'core')}"
    if not scheduler:
        return "not probed yet"
    partitions = fact_value(profile, "partitions") or []
    return f"{_scheduler(scheduler)}, {plural(len(partitions), 'partition')}"


def account_option(profile: dict[str, Any]) -> str:
    """The --account option that a first command needs if the user has several accounts."""
    accounts = fact_value(profile, "accounts") or []
    if len(accounts) < 2:
        return ""
    default = next((account for account in accounts if account.get("default")), accounts[0])
    return f" --account {default['name']}"


def is_this_machine(profile: dict[str, Any]) -> bool:
    """Whether jobs run directly on the machine, without a batch system."""
    return read_abilities({"scheduler": fact_value(profile, "scheduler")}).runs_on_this_node


def profile_lines(profile: dict[str, Any]) -> Iterator[str]:
    """Every fact, with how and when it was learned; a correction comes before the fact it corrects."""
    lines = _fact_lines(profile)
    return map(_without_login_node, lines) if is_this_machine(profile) else lines


def _without_login_node(line: str) -> str:
    """The user's own machine has no login node."""
    return line.replace(" on the login node", "").replace("the login node", "this machine")


def _fact_lines(profile: dict[str, Any]) -> Iterator[str]:
    corrections = profile.get("corrections") or {}
    facts = profile.get("facts") or {}
    for name in sorted({*facts, *corrections}):
        if name in corrections:
            yield f"{name}: {_value_text(name, corrections[name].get('value'))} (corrected by hand)"
        fact = facts.get(name)
        if isinstance(fact, dict):
            learned = f"{fact.get('source', '')}, {time_ago(fact.get('at'))}".strip(", ")
            yield f"{name}: {_value_text(name, fact.get('value'))} ({learned})"


def fact_value(profile: dict[str, Any], name: str) -> Any:
    """The value of a fact, corrected if there is a correction."""
    for kind in ("corrections", "facts"):
        fact = (profile.get(kind) or {}).get(name)
        if isinstance(fact, dict) and "value" in fact:
            return fact["value"]
    return None


def _value_text(name: str, value: Any) -> str:
    """A malformed value is shown as it is."""
    try:
        return _FORMATTERS.get(name, _plain)(value)
    except (AttributeError, KeyError, TypeError, ValueError):
        return _plain(value)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _partition(entry: dict[str, Any]) -> str:
    gpus = [f"{n} {kind} GPUs" for kind, n in (entry.get("gpus_per_node") or {}).items()]
    most = entry.get("max_minutes")
    parts = [
        f"{_number(entry.get('nodes_total'), 'node')} of {_number(entry.get('cpus_per_node'), 'CPU')}",
        ", ".join(gpus),
        f"up to {show_minutes(int(most))}" if most else "",
    ]
    star = "*" if entry.get("default") else ""
    return f"{entry.get('name')}{star} ({_joined(parts)})"


def _folder(kind: str, entry: dict[str, Any]) -> str:
    parts = [show_bytes(entry["free_bytes"]) + " free" if entry.get("free_bytes") else ""]
    if entry.get("quota_bytes"):
        parts.append(f"quota {show_bytes(entry['quota_bytes'])}")
    if entry.get("purge_days"):
        parts.append(f"purged after {plural(int(entry['purge_days']), 'day')}")
    return f"{kind} {entry.get('path')} ({_joined(parts)})"


def _free(partition: str, entry: dict[str, Any]) -> str:
    """Idle nodes and cores, and the number of waiting jobs."""
    parts = [
        f"{entry.get('nodes_idle', '?')} of {_number(entry.get('nodes_total'), 'node')}",
        _number(entry.get("cpus_idle"), "CPU"),
        _number(entry["gpus_idle"], "GPU") if entry.get("gpus_idle") else "",
        f"{entry['pending']} waiting" if entry.get("pending") else "",
    ]
    return f"{partition} {_joined(parts)}"


def _qos(entry: dict[str, Any]) -> str:
    most, limit = entry.get("max_minutes"), entry.get("submit_limit")
    parts = [f"up to {show_minutes(int(most))}" if most else "", f"{limit} queued" if limit else ""]
    inside = _joined(parts)
    return f"{entry['name']} ({inside})" if inside else str(entry["name"])


def _scheduler(value: dict[str, Any]) -> str:
    if read_abilities({"scheduler": value}).runs_on_this_node:
        return "none: jobs run directly on this machine"
    return f"{str(value['name']).capitalize()} {value.get('version', '')}".strip()


def _flags(value: dict[str, str]) -> str:
    odd = [f"{part} --{flag}" for flag, part in value.items() if part != "takes"]
    return ", ".join(odd) or "accepts all"


def _gpus(value: dict[str, int]) -> str:
    return ", ".join(f"{number} {kind}" for kind, number in value.items()) or "none"


def _per_node(show: Callable[[Any], str]) -> Callable[[dict[str, Any]], str]:
    """Format a fact that has separate values for login and compute nodes."""

    def format_value(value: dict[str, Any]) -> str:
        known = {node: show(fact) for node, fact in value.items() if fact is not None}
        if len(known) > 1 and len(set(known.values())) == 1:
            return f"{next(iter(known.values()))} on {' and '.join(known)} nodes"
        return (
            "; ".join(f"{text} on the {node} node" for node, text in known.items())
            or "not known yet"
        )

    return format_value


def _runtimes(versions: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {version}".strip() for name, version in versions.items()) or "none"


def _builders(builders: Mapping[str, Any]) -> str:
    able = [name for name, runtime in builders["runtimes"].items() if runtime["builds"]]
    return f"images are built with {', '.join(able)}" if able else "images cannot be built"


def _names(value: list[dict[str, Any]]) -> str:
    return ", ".join(str(entry["name"]) for entry in value) or "none"


def _number(value: Any, noun: str) -> str:
    return plural(int(value), noun) if value is not None else f"? {noun}s"


def _joined(parts: list[str]) -> str:
    return ", ".join(part for part in parts if part)


_FORMATTERS: dict[str, Callable[[Any], str]] = {
    "scheduler": _scheduler,
    "partitions": lambda value: "; ".join(map(_partition, value)) or "none",
    "accounts": _names,
    "qos": lambda value: ", ".join(map(_qos, value)) or "none",
    "folders": lambda value: "; ".join(_folder(kind, entry) for kind, entry in value.items()),
    "free": lambda value: "; ".join(_free(name, entry) for name, entry in value.items()),
    "flags": _flags,
    "gpus": _gpus,
    "memory_mb": lambda value: show_bytes(value * 2**20),
    "python": _per_node(str),
    "internet": _per_node(lambda value: "yes" if value else "no"),
    "runtimes": _per_node(_runtimes),
    "builders": _per_node(_builders),
    "modules": lambda value: "; ".join(value) or "none",
    "waits": lambda value: f"of your last {plural(len(value), 'job')}",
    "charge": lambda value: ", ".join(
        f"{rate:g} per node-hour in {name}" for name, rate in value.items()
    ),
}
