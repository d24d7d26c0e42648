"""The text of a pipeline: a line per stage, and per step where there are several."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from diamond.cli.format import short_id

MOST_STEPS = 20


def pipeline_lines(pipeline: dict[str, Any]) -> Iterator[str]:
    yield f"{pipeline['name']}  {pipeline['id']}  {pipeline['state']}"
    width = max((len(stage["name"]) for stage in pipeline["stages"]), default=0)
    for stage in pipeline["stages"]:
        yield from _stage_lines(stage, width)
    yield from _pilot_lines(pipeline["pilots"])
    if pipeline["message"]:
        yield pipeline["message"]


def progress_lines(pipeline: dict[str, Any]) -> Iterator[str]:
    """A line for each step that has started or ended; unchanged as long as its state is."""
    for stage in pipeline["stages"]:
        for step in stage["steps"]:
            if step["state"] == "waiting" and not step["message"]:
                continue
            name = " ".join(part for part in (stage["name"], step["label"]) if part)
            yield f"{name}: {_state(step)}"


def counts_text(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {state}" for state, count in counts.items() if count)


def _stage_lines(stage: dict[str, Any], width: int) -> Iterator[str]:
    steps = stage["steps"]
    if not steps:
        yield f"  {stage['name']:{width}}  waiting for {', '.join(stage['parents'])}"
        return
    if not stage["is_mapped"]:
        yield f"  {stage['name']:{width}}  {_state(steps[0])}"
        return
    yield f"  {stage['name']:{width}}  {counts_text(_counts(steps))}"
    for step in steps[:MOST_STEPS]:
        yield f"  {'':{width}}    {step['label']}: {_state(step)}"
    if len(steps) > MOST_STEPS:
        yield f"  {'':{width}}    and {len(steps) - MOST_STEPS} more: --json lists all"


def _pilot_lines(pilots: list[dict[str, Any]]) -> Iterator[str]:
    for pilot in pilots:
        why = f": {pilot['message'] or pilot['reason']}" if pilot["state"] == "failed" else ""
        yield f"  in pilot {short_id(pilot['id'])}, {pilot['state']}{why}"


def _counts(steps: list[dict[str, Any]]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for step in steps:
        counts[step["state"]] = counts.get(step["state"], 0) + 1
    return counts


def _state(step: dict[str, Any]) -> str:
    task = f" ({short_id(step['task'])})" if step["task"] else ""
    message = f": {step['message']}" if step["message"] and step["state"] != "cached" else ""
    lasted = ""
    if step["state"] == "done" and step["started"] and step["ended"]:
        lasted = f", {step['ended'] - step['started']:.0f} s"
    again = f", after {step['lost']} lost allocations" if step["lost"] > 1 else ""
    again = ", after a lost allocation" if step["lost"] == 1 else again
    return f"{step['state']}{lasted}{again}{task}{message}"
