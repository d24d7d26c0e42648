"""A checked spec as a user would write it, so that it can be submitted again."""

from __future__ import annotations

from typing import Any

from diamond.compose.fields import AUTO_NODES
from diamond.compose.spec import Spec
from diamond.core.units import show_minutes


def written_spec(spec: Spec, *, without_defaults: bool = False) -> dict[str, Any]:
    """Fields in the spec's order, sizes and times with units; values left to the site are omitted."""
    data = spec.model_dump(by_alias=True, mode="json", exclude_defaults=without_defaults)
    resources, continuation = data.get("resources"), data.get("continue")
    if resources is not None:
        if resources.get("nodes") == AUTO_NODES:
            resources["nodes"] = "auto"
        _write(resources, "memory", _megabytes)
        _write(resources, "walltime", show_minutes)
        _write(resources, "tasks_per_node", int)
    if isinstance(data.get("launch"), dict):
        _write(data["launch"], "hang", _seconds)
    if continuation is not None:
        _write(continuation, "lead", _seconds)
    if data.get("run") is None:
        data.pop("run", None)
    if without_defaults:
        return {"name": spec.name, **{k: v for k, v in data.items() if v not in (None, {}, "")}}
    return data


def _write(part: dict[str, Any], name: str, show: Any) -> None:
    """Zero means the site's default; users cannot write it themselves."""
    value = part.get(name)
    if value == 0:
        del part[name]
    elif value is not None:
        part[name] = show(value)


def _megabytes(count: int) -> str:
    return f"{count // 1024}GB" if count % 1024 == 0 else f"{count}MB"


def _seconds(count: int) -> str:
    return f"{count // 60}m" if count % 60 == 0 and count else f"{count}s"
