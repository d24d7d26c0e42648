"""The text of a scale: a line per probe, then the recommendation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from diamond.cli.format import short_id
from diamond.cli.output import plural

STATES = {"waiting": "not started yet", "running": "in progress"}
UNKNOWN = "-"


def scale_lines(scale: dict[str, Any]) -> Iterator[str]:
    where = "/".join(name for name in (scale["endpoint"], scale["partition"]) if name)
    most = f"at most {scale['node_hours_at_most']:.3g} node-hours"
    yield f"{scale['name']}  {scale['id']}  {scale['state']} on {where}, {most}"
    for note in scale["notes"]:
        yield f"  {note}"
    yield from _table(scale)
    yield from _result(scale)


def progress_lines(scale: dict[str, Any]) -> Iterator[str]:
    """A line for each probe that has started or ended; unchanged as long as its state is."""
    for probe in scale["probes"]:
        if probe["task"]:
            yield f"{probe['label']}: task {short_id(probe['task'])} started"
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
        details = "; ".join(text for text in (probe["changed"], _status(probe)) if text)
        yield f"  {probe['label']:{width}}  {cells}{share}  {details}".rstrip()


def _share(probe: dict[str, Any]) -> str:
    return UNKNOWN if probe["efficiency"] is None else f"{probe['efficiency']:.0%}"


def _status(probe: dict[str, Any]) -> str:
    if probe["state"] == "running" and probe["steps"]:
        return f"in progress, {plural(probe['steps'], 'step')} so far"
    if probe["state"] in ("failed", "skipped"):
        return f"{probe['state']}: {probe['words']}"
    return str(STATES.get(probe["state"], probe["words"]))


def _number(value: float | None) -> str:
    if value is None:
        return UNKNOWN
    return f"{value:.0f}" if value >= 1000 else f"{value:.4g}"


def _result(scale: dict[str, Any]) -> Iterator[str]:
    for gain in scale["gains"]:
        yield f"  {gain['words']}"
    if scale["gains"]:
        yield from _recommended_settings(scale)
    if scale["advice"]:
        yield f"Recommended for {scale['goal']}: {scale['advice']['words']}"
        yield f"  Use it: resources: {{nodes: {scale['advice']['nodes']}}}" + _params(scale)
    elif scale["state"] in ("failed", "cancelled"):
        yield f"{scale['state'].capitalize()}: {scale['message']}"


def _recommended_settings(scale: dict[str, Any]) -> Iterator[str]:
    """Each setting was tried separately. A larger batch changes the training, so the user must decide about it."""
    baseline, *tried = scale["probes"]
    helping = {gain["change"] for gain in scale["gains"] if gain["helps"]}
    useful = [probe for probe in tried if probe["label"] in helping]
    same_batch = [
        probe for probe in useful if probe["samples_per_step"] == baseline["samples_per_step"]
    ]
    for probe in same_batch:
        yield f"Use it: params: {_as_yaml(probe['params'])}"
    if len(useful) > len(same_batch):
        yield "A larger batch changes the training: use it only if the model learns as well."
    elif not useful:
        yield "None of these helps: keep the spec as it is."


def _params(scale: dict[str, Any]) -> str:
    changed = scale["advice"]["params"]
    return f", params: {_as_yaml(changed)}" if changed else ""


def _as_yaml(params: dict[str, Any]) -> str:
    """As it would be written in a spec."""
    return f"{{{', '.join(f'{name}: {_scalar(value)}' for name, value in params.items())}}}"


def _scalar(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
