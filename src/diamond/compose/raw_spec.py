"""A spec as a person wrote it: the few fields that are read or replaced before, or after, it is composed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

RawSpec = dict[str, Any]
Params = Mapping[str, Any]
AUTO = "auto"


def has_auto_nodes(raw: RawSpec) -> bool:
    return bool(_nodes(raw) == AUTO)


def written_nodes(raw: RawSpec) -> int:
    """`auto` counts as one: the batch size in the params is meant for one node."""
    nodes = _nodes(raw)
    return nodes if isinstance(nodes, int) else 1


def params_of(raw: RawSpec) -> Params:
    params = raw.get("params")
    return params if isinstance(params, dict) else {}


def environment_name(raw: RawSpec) -> str | None:
    """The image that it names; None if it describes its environment, or has none."""
    environment = raw.get("environment")
    return environment if isinstance(environment, str) else None


def continues(raw: RawSpec) -> bool:
    """Whether it says that further attempts continue the work."""
    return bool(raw.get("continue"))


def is_study(raw: RawSpec) -> bool:
    return bool(raw.get("study"))


def trial_spec(raw: RawSpec, *, name: str, params: Params, on: str) -> RawSpec:
    """One trial of a study as a spec of its own."""
    spec = {key: value for key, value in raw.items() if key != "study"}
    return {**spec, "name": name, "params": {**params_of(raw), **params}, "on": on}


def runs_something(raw: RawSpec) -> bool:
    return bool(raw.get("run") or raw.get("notebook"))


def names_repository(raw: RawSpec) -> bool:
    """Whether its code is fetched from a URL rather than sent along."""
    return "://" in str(raw.get("code") or "")


def needs_image_file(raw: RawSpec) -> bool:
    """Whether it runs in an image: one that it names, or one that is built for it."""
    environment = raw.get("environment")
    if isinstance(environment, str):
        return True
    made_on_arrival = {"requirements", "python", "variables"}
    fields = environment if isinstance(environment, dict) else {}
    return any(value for name, value in fields.items() if name not in made_on_arrival)


def with_nodes(raw: RawSpec, nodes: int, params: Params) -> RawSpec:
    """On another node count, with the params that keep its batch size there."""
    return {
        **raw,
        "params": {**params_of(raw), **params},
        "resources": {**(raw.get("resources") or {}), "nodes": nodes},
    }


def probe_variant(
    raw: RawSpec, *, nodes: int, minutes: int, kind: str = "", params: Params | None = None
) -> RawSpec:
    """A short run of it, without its budget. `kind`: of launch."""
    made = with_nodes(raw, nodes, params or {})
    made.pop("budget", None)
    made["resources"]["walltime"] = f"{minutes}m"
    if kind:
        given = raw.get("launch")
        made["launch"] = {**given, "kind": kind} if isinstance(given, dict) else kind
    return made


def written_launch(raw: RawSpec) -> str:
    """The kind of launch that it names, or `auto`."""
    given = raw.get("launch") or AUTO
    return str(given.get("kind", AUTO) if isinstance(given, dict) else given)


def on_partition(raw: RawSpec, endpoint: str, partition: str) -> RawSpec:
    """Pinned to where it was placed before."""
    return {**raw, "on": "/".join(name for name in (endpoint, partition) if name)}


def speed_fields(raw: RawSpec) -> list[dict[str, Any]]:
    """The fields that decide its speed, apart from node count, wall-time and code."""
    names = ("run", "notebook", "params", "environment", "launch")
    given = raw.get("resources")
    resources = {
        name: value
        for name, value in (given if isinstance(given, dict) else {}).items()
        if name not in ("nodes", "walltime")
    }
    return [{name: raw.get(name) for name in names}, resources]


def _nodes(raw: RawSpec) -> Any:
    resources = raw.get("resources")
    return resources.get("nodes", 1) if isinstance(resources, dict) else 1
