"""A site profile in words."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from diamond.cli.output import count
from diamond.cli.words import age
from diamond.core.batch_systems import read_abilities
from diamond.core.units import show_bytes, show_minutes


def summary(profile: dict[str, Any]) -> str:
    """The batch system with its version and partitions; or: this machine, 8 cores."""
    scheduler = value_of(profile, "scheduler") or {}
    if is_this_machine(profile):
        return f"this machine, {_number(value_of(profile, 'cores'), 'core')}"
    if not scheduler:
        return "not probed yet"
    partitions = value_of(profile, "partitions") or []
    return f"{_scheduler(scheduler)}, {count(len(partitions), 'partition')}"


def account_option(profile: dict[str, Any]) -> str:
    """What a first command needs where several accounts may pay."""
    accounts = value_of(profile, "accounts") or []
    if len(accounts) < 2:
        return ""
    usual = next((one for one in accounts if one.get("default")), accounts[0])
    return f" --account {usual['name']}"


def is_this_machine(profile: dict[str, Any]) -> bool:
    """Whether no batch system stands between a job and the machine."""
    return read_abilities({"scheduler": value_of(profile, "scheduler")}).runs_on_this_node


def profile_lines(profile: dict[str, Any]) -> Iterator[str]:
    """Every fact with how and when it was learned; a correction stands before what it corrects."""
    lines = _fact_lines(profile)
    return map(_without_login_node, lines) if is_this_machine(profile) else lines


def _without_login_node(line: str) -> str:
    """One's own machine has no such thing."""
    return line.replace(" on the login node", "").replace("the login node", "this machine")


def _fact_lines(profile: dict[str, Any]) -> Iterator[str]:
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
    """A value that has not the form of its fact is shown as it is."""
    try:
        return _TELLERS.get(name, _plain)(value)
    except (AttributeError, KeyError, TypeError, ValueError):
        return _plain(value)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _partition(one: dict[str, Any]) -> str:
    gpus = [f"{n} {kind} GPUs" for kind, n in (one.get("gpus_per_node") or {}).items()]
    most = one.get("max_minutes")
    words = [
        f"{_number(one.get('nodes_total'), 'node')} of {_number(one.get('cpus_per_node'), 'CPU')}",
        ", ".join(gpus),
        f"up to {show_minutes(int(most))}" if most else "",
    ]
    star = "*" if one.get("default") else ""
    return f"{one.get('name')}{star} ({_joined(words)})"


def _folder(kind: str, one: dict[str, Any]) -> str:
    words = [show_bytes(one["free_bytes"]) + " free" if one.get("free_bytes") else ""]
    if one.get("quota_bytes"):
        words.append(f"quota {show_bytes(one['quota_bytes'])}")
    if one.get("purge_days"):
        words.append(f"purged after {count(int(one['purge_days']), 'day')}")
    return f"{kind} {one.get('path')} ({_joined(words)})"


def _free(partition: str, one: dict[str, Any]) -> str:
    """Idle nodes and cores, and how many wait in front."""
    words = [
        f"{one.get('nodes_idle', '?')} of {_number(one.get('nodes_total'), 'node')}",
        _number(one.get("cpus_idle"), "CPU"),
        _number(one["gpus_idle"], "GPU") if one.get("gpus_idle") else "",
        f"{one['pending']} waiting" if one.get("pending") else "",
    ]
    return f"{partition} {_joined(words)}"


def _qos(one: dict[str, Any]) -> str:
    most, limit = one.get("max_minutes"), one.get("submit_limit")
    words = [f"up to {show_minutes(int(most))}" if most else "", f"{limit} queued" if limit else ""]
    inside = _joined(words)
    return f"{one['name']} ({inside})" if inside else str(one["name"])


def _scheduler(value: dict[str, Any]) -> str:
    if read_abilities({"scheduler": value}).runs_on_this_node:
        return "none: jobs run here directly"
    return f"{str(value['name']).capitalize()} {value.get('version', '')}".strip()


def _flags(value: dict[str, str]) -> str:
    odd = [f"{word} --{flag}" for flag, word in value.items() if word != "takes"]
    return ", ".join(odd) or "takes all"


def _gpus(value: dict[str, int]) -> str:
    return ", ".join(f"{number} {kind}" for kind, number in value.items()) or "none"


def _where(say: Callable[[Any], str]) -> Callable[[dict[str, Any]], str]:
    """A fact that login and compute nodes answer apart."""

    def tell(value: dict[str, Any]) -> str:
        known = {node: say(one) for node, one in value.items() if one is not None}
        if len(known) > 1 and len(set(known.values())) == 1:
            return f"{next(iter(known.values()))} on {' and '.join(known)} nodes"
        return (
            "; ".join(f"{words} on the {node} node" for node, words in known.items())
            or "not known yet"
        )

    return tell


def _runtimes(found: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {version}".strip() for name, version in found.items()) or "none"


def _builders(found: Mapping[str, Any]) -> str:
    able = [name for name, one in found["runtimes"].items() if one["builds"]]
    return f"images are built with {', '.join(able)}" if able else "images cannot be built"


def _names(value: list[dict[str, Any]]) -> str:
    return ", ".join(str(one["name"]) for one in value) or "none"


def _number(value: Any, noun: str) -> str:
    return count(int(value), noun) if value is not None else f"? {noun}s"


def _joined(words: list[str]) -> str:
    return ", ".join(word for word in words if word)


_TELLERS: dict[str, Callable[[Any], str]] = {
    "scheduler": _scheduler,
    "partitions": lambda value: "; ".join(map(_partition, value)) or "none",
    "accounts": _names,
    "qos": lambda value: ", ".join(map(_qos, value)) or "none",
    "folders": lambda value: "; ".join(_folder(kind, one) for kind, one in value.items()),
    "free": lambda value: "; ".join(_free(name, one) for name, one in value.items()),
    "flags": _flags,
    "gpus": _gpus,
    "memory_mb": lambda value: show_bytes(value * 2**20),
    "python": _where(str),
    "internet": _where(lambda value: "yes" if value else "no"),
    "runtimes": _where(_runtimes),
    "builders": _where(_builders),
    "modules": lambda value: "; ".join(value) or "none",
    "waits": lambda value: f"those of your last {count(len(value), 'job')}",
    "charge": lambda value: ", ".join(
        f"{rate:g} a node-hour in {name}" for name, rate in value.items()
    ),
}
