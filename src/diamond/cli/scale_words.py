"""A scale in words: a line for each probe, then what follows from them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from diamond.cli.output import count
from diamond.cli.words import short

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


def progress_words(scale: dict[str, Any]) -> Iterator[str]:
    """A line for each probe that is begun or over; the same words as long as nothing changed."""
    for probe in scale["probes"]:
        if probe["task"]:
            yield f"{probe['label']}: task {short(probe['task'])} begun"
        if probe["state"] in ("measured", "failed", "skipped"):
            yield f"{probe['label']}: {probe['state']}{_detail(scale, probe)}"


def _detail(scale: dict[str, Any], probe: dict[str, Any]) -> str:
    if probe["state"] == "measured":
        return f", {probe['throughput']:.4g} {scale['unit']}/s"
    return f", {probe['words']}" if probe["words"] else ""


def _table(scale: dict[str, Any]) -> Iterator[str]:
    unit = f"{scale['unit']}/s"
    width = max(len(probe["label"]) for probe in scale["probes"])
    yield f"  {'':{width}}  {'s/step':>9}  {unit:>10}  {'efficiency':>10}"
    for probe in scale["probes"]:
        cells = f"{_number(probe['step_seconds']):>9}  {_number(probe['throughput']):>10}"
        share = UNTOLD if probe["efficiency"] is None else f"{probe['efficiency']:.0%}"
        words = "; ".join(one for one in (probe["changed"], _standing(probe)) if one)
        yield f"  {probe['label']:{width}}  {cells}  {share:>10}  {words}".rstrip()


def _standing(probe: dict[str, Any]) -> str:
    if probe["state"] == "running" and probe["steps"]:
        return f"under way, {count(probe['steps'], 'step')} so far"
    if probe["state"] in ("failed", "skipped"):
        return f"{probe['state']}: {probe['words']}"
    return str(STATES.get(probe["state"], probe["words"]))


def _number(value: float | None) -> str:
    return UNTOLD if value is None else f"{value:.4g}"


def _result(scale: dict[str, Any]) -> Iterator[str]:
    for gain in scale["gains"]:
        yield f"  {gain['words']}"
    if scale["advice"]:
        yield f"Advised for {scale['goal']}: {scale['advice']['words']}"
        yield f"  Use it: resources: {{nodes: {scale['advice']['nodes']}}}" + _params(scale)
    elif scale["state"] in ("failed", "cancelled"):
        yield f"{scale['state'].capitalize()}: {scale['message']}"


def _params(scale: dict[str, Any]) -> str:
    changed = ", ".join(f"{name}: {value}" for name, value in scale["advice"]["params"].items())
    return f", params: {{{changed}}}" if changed else ""
