"""`diamond plan`: how long a spec takes to reach a goal, and what it costs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from diamond.cli.format import format_amount
from diamond.cli.goal_options import (
    Batch,
    Epochs,
    Like,
    Samples,
    SaveEverySeconds,
    SaveGigabytes,
    SaveSeconds,
    StartupSeconds,
    Steps,
    StepSeconds,
    given_goal,
)
from diamond.cli.options import Json, complete_endpoint
from diamond.cli.output import plural, print_json, say
from diamond.core.units import show_minutes
from diamond.sdk.client import Client

app = typer.Typer(rich_markup_mode=None)


@app.command()
def plan(
    spec: Annotated[
        str, typer.Argument(metavar="SPEC", help="A diamond.yaml, or its folder.")
    ] = "diamond.yaml",
    steps: Steps = None,
    epochs: Epochs = None,
    samples: Samples = None,
    batch: Batch = None,
    step_seconds: StepSeconds = None,
    like: Like = None,
    save_seconds: SaveSeconds = None,
    save_gigabytes: SaveGigabytes = None,
    startup_seconds: StartupSeconds = None,
    save_every_seconds: SaveEverySeconds = None,
    on: Annotated[
        str | None,
        typer.Option(
            "--on", help="Endpoint, or endpoint/partition.", autocompletion=complete_endpoint
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A parameter or a field."),
    ] = None,
    project: Annotated[
        str, typer.Option("--project", help="The project that it will go into.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Say how many attempts a spec takes to reach a goal, when it ends and what it costs. Nothing is sent."""
    goal = {
        "steps": steps,
        "epochs": epochs,
        "samples": samples,
        "batch": batch,
        "step_seconds": step_seconds,
        "like": like,
        "save_seconds": save_seconds,
        "save_gigabytes": save_gigabytes,
        "startup_seconds": startup_seconds,
        "save_every_seconds": save_every_seconds,
    }
    answer = Client().plan(spec, given_goal(goal), on=on, set=settings or [], project=project)
    if as_json:
        print_json(answer)
        return
    for line in plan_lines(answer):
        print(line)
    for words in answer["warnings"]:
        say(f"Warning: {words}")


def plan_lines(answer: dict[str, Any]) -> Iterator[str]:
    """One line for each thing that a person wants to know."""
    where = "/".join(name for name in (answer["endpoint"], answer["partition"]) if name)
    source = "measured" if answer["measured"] else "as given"
    yield f"{answer['steps']} steps of {answer['step_seconds']:.3g} s ({source}) on {where}"
    yield f"  Attempts    {_attempts(answer)}"
    yield f"  Waits       {_waits(answer['waits'])}"
    yield f"  Ends in     {_span(answer['finish'])}"
    yield f"  Saves       every {_time(answer['save_every_seconds'])}, {answer['saves']} in all"
    yield f"  Costs       {_cost(answer)}"
    yield f"  May lose    {_loss(answer)}"
    if answer["budget"]:
        fits = "fits" if answer["budget"]["fits"] else "does not fit"
        yield f"  Budget      {fits}. {answer['budget']['words']}"
    for other in answer["others"]:
        yield f"  Or with     {_other(other)}"


def _attempts(answer: dict[str, Any]) -> str:
    length, last = answer["attempt_minutes"], answer["last_attempt_minutes"]
    which = "" if answer["attempts"] == 1 else "the last "
    return f"{answer['attempts']} of {show_minutes(length)}, {which}done after {show_minutes(last)}"


def _waits(waits: dict[str, Any]) -> str:
    if waits["bound"] is None:
        return str(waits["words"])
    return f"{_time(waits['typical'])} as a rule, up to {_time(waits['bound'])}: {waits['words']}"


def _span(finish: dict[str, float]) -> str:
    return f"{_time(finish['soonest'])} to {_time(finish['latest'])}"


def _cost(answer: dict[str, Any]) -> str:
    most = f"at most {format_amount(answer['node_hours_at_most'])}"
    charge = answer["charge_at_most"]
    units = "" if charge is None else f", {charge:.4g} of the site's units"
    return f"{format_amount(answer['node_hours'])} node-hours ({most}{units})"


def _loss(answer: dict[str, Any]) -> str:
    number = answer["interruptions"]
    expected = f"{'hardly any' if number < 0.001 else f'{number:.2g}'} interruptions expected"
    return f"{_time(answer['lost_at_most_seconds'])} by an interruption; {expected}"


def _other(other: dict[str, Any]) -> str:
    attempts = plural(other["attempts"], "attempt")
    return (
        f"{show_minutes(other['walltime_minutes'])}: {attempts}, ends in {_span(other['finish'])}"
    )


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else show_minutes(round(seconds / 60))
