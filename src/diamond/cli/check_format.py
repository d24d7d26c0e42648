"""The output of `run --check`: what would run, where and with what."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from typing import Any

from diamond.cli.format import describe_resources
from diamond.cli.output import plural
from diamond.core.units import show_bytes

SHOWN_FILES = 10


def check_lines(answer: dict[str, Any]) -> Iterator[str]:
    """One line per part of the order."""
    order = answer["order"]
    yield order["name"]
    yield f"  Command     {shlex.join(order['argv']) if order.get('argv') else order['command']}"
    if order.get("params"):
        yield f"  Parameters  {_pairs(order['params'])}"
    yield f"  Requests    {describe_resources(order['resources'])}"
    launch = (order.get("launch") or {}).get("kind", "single")
    if launch != "single":
        yield f"  Launch      {launch}"
    yield f"  Runs on     {_placement(answer['endpoint'], order.get('placement') or {})}"
    if order.get("environment"):
        yield f"  Packages    {', '.join(order['environment'].get('requirements') or []) or 'none'}"
    if order.get("data"):
        yield f"  Data        {_pairs(order['data'])}"
    if order.get("secrets"):
        yield f"  Secrets     {', '.join(order['secrets'])}"
    yield from _code(answer.get("code"), order.get("code"))


def _pairs(values: dict[str, Any]) -> str:
    return ", ".join(f"{name}={_value(value)}" for name, value in values.items())


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _placement(endpoint: str, placement: dict[str, Any]) -> str:
    names = ("partition", "account", "qos", "reservation", "constraint")
    named = [f"{name} {placement[name]}" for name in names if placement.get(name)]
    options = [f"--{key}={value}" for key, value in (placement.get("options") or {}).items()]
    return ", ".join([endpoint, *named, *options])


def _code(uploaded: dict[str, Any] | None, named: dict[str, Any] | None) -> Iterator[str]:
    if not uploaded:
        url = (named or {}).get("git_url")
        yield (
            f"  Code        {url} at {(named or {}).get('git_commit')}"
            if url
            else "  Code        none"
        )
        return
    yield f"  Code        {plural(uploaded['files'], 'file')}, {show_bytes(uploaded['bytes'])}"
    skipped = uploaded["left_out"]
    for line in skipped[:SHOWN_FILES]:
        yield f"  Not sent    {line}"
    if len(skipped) > SHOWN_FILES:
        yield f"  Not sent    {plural(len(skipped) - SHOWN_FILES, 'more file')}"
