"""A scale in words: a line for each probe, then what follows from them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from diamond.cli.format import short_id
from diamond.cli.output import plural

STATES = {"waiting": "waits for its turn", "running": "under way"}
UNTOLD = "-"


def scale_lines(scale: dict[str, Any]) -> Iterator[str]:
    where = "/".join(name for name in (scale["endpoint"], scale["partition"]) if name)
    most = f"at most {scale['node_hours_at_most']:.3g} node-hours"
    yield f"{scale['name']}  {scale['id']}  {scale['state']} on {where}, {most}"
    for note in scale["notes"]:
        yield f"  {note}"
    yield from _table(scale)
    yield from _result(scale)


def progress_lines(scale: dict[str, Any]) -> Iterator[str]:
    """A line for each probe that is begun or over; the same words as long as nothing changed."""
    for probe in scale["probes"]:
        if probe["task"]:
            yield f"{probe['label']}: task {short_id(probe['task'])} begun"
        if probe["state"] in ("measured", "failed", "skipped"):
            yield f"{probe['label']}: {probe['state']}{_detail(scale, probe)}"


def _detail(scale: dict[str, Any], probe: dict[str, Any]) -> str:
    if probe["state"] == "measured":
        return f", {_number(probe['throughput'])} {scale['unit']}/s"
    return f", {probe['words']}" if probe["words"] else ""


def _table(scale: dict[str, Any]) -> Iterator[str]:
    unit = f"{scale['unit']}/s"
    width = max(len(probe["label"]) for probe in scale["probes"])
    efficiency = "" if scale["kind"] == "tune" else f"  {'efficiency':>10}"
    yield f"  {'':{width}}  {'s/step':>9}  {unit:>10}{efficiency}"
    for probe in scale["probes"]:
        cells = f"{_number(probe['step_seconds']):>9}  {_number(probe['throughput']):>10}"
        share = f"  {_share(probe):>10}" if efficiency else ""
        words = "; ".join(one for one in (probe["changed"], _standing(probe)) if one)
        yield f"  {probe['label']:{width}}  {cells}{share}  {words}".rstrip()


def _share(probe: dict[str, Any]) -> str:
    return UNTOLD if probe["efficiency"] is None else f"{probe['efficiency']:.0%}"


def _standing(probe: dict[str, Any]) -> str:
    if probe["state"] == "running" and probe["steps"]:
        return f"under way, {plural(probe['steps'], 'step')} so far"
    if probe["state"] in ("failed", "skipped"):
        return f"{probe['state']}: {probe['words']}"
    return str(STATES.get(probe["state"], probe["words"]))


def _number(value: float | None) -> str:
    if value is None:
        return UNTOLD
    return f"{value:.0f}" if value >= 1000 else f"{value:.4g}"


def _result(scale: dict[str, Any]) -> Iterator[str]:
    for gain in scale["gains"]:
        yield f"  {gain['words']}"
    if scale["gains"]:
        yield from _use_of(scale)
    if scale["advice"]:
        yield f"Advised for {scale['goal']}: {scale['advice']['words']}"
        yield f"  Use it: resources: {{nodes: {scale['advice']['nodes']}}}" + _params(scale)
    elif scale["state"] in ("failed", "cancelled"):
        yield f"{scale['state'].capitalize()}: {scale['message']}"


def _use_of(scale: dict[str, Any]) -> Iterator[str]:
    """Each setting was tried by itself; one that changes the batch is another training, which nobody else decides on."""
    as_written, *tried = scale["probes"]
    helping = {gain["change"] for gain in scale["gains"] if gain["helps"]}
    found = [probe for probe in tried if probe["label"] in helping]
    same = [one for one in found if one["samples_per_step"] == as_written["samples_per_step"]]
    for probe in same:
        yield f"Use it: params: {_written(probe['params'])}"
    if len(found) > len(same):
        yield "A larger batch is another training: take it if that one learns as well."
    elif not found:
        yield "Nothing of this helps: the spec is best as it is."


def _params(scale: dict[str, Any]) -> str:
    changed = scale["advice"]["params"]
    return f", params: {_written(changed)}" if changed else ""


def _written(params: dict[str, Any]) -> str:
    """As in the spec."""
    return f"{{{', '.join(f'{name}: {_yaml(value)}' for name, value in params.items())}}}"


def _yaml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
