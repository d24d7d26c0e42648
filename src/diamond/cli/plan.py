"""`diamond plan`: how long a spec takes to reach a goal, and what it costs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from diamond.cli.format import format_amount
from diamond.cli.goal_options import GoalOptions
from diamond.cli.option_groups import option_groups
from diamond.cli.options import Json, SpecPath, TargetOptions
from diamond.cli.output import plural, print_json, say
from diamond.core.units import show_minutes
from diamond.sdk.client import Client

app = typer.Typer(rich_markup_mode=None)


@app.command()
@option_groups
def plan(
    spec: SpecPath = "diamond.yaml",
    *,
    goal: GoalOptions,
    target: TargetOptions,
    project: Annotated[str, typer.Option("--project", help="The project it would belong to.")] = "",
    as_json: Json = False,
) -> None:
    """Estimate how many attempts a spec takes to reach a goal, when it finishes and what it costs.

    This is an estimate. Nothing runs until you submit.
    """
    answer = Client().plan(
        spec, goal.given(), on=target.on, set=target.settings or [], project=project
    )
    if as_json:
        print_json(answer)
        return
    for line in plan_lines(answer):
        print(line)
    for warning in answer["warnings"]:
        say(f"Warning: {warning}")


def plan_lines(answer: dict[str, Any]) -> Iterator[str]:
    """One line per question that a user has about a plan."""
    where = "/".join(name for name in (answer["endpoint"], answer["partition"]) if name)
    source = "measured" if answer["measured"] else "as given"
    yield f"{answer['steps']} steps of {answer['step_seconds']:.3g} s ({source}) on {where}"
    yield f"  Attempts    {_attempts(answer)}"
    yield f"  Queue wait  {_waits(answer['waits'])}"
    yield f"  Finishes in {_range(answer['finish'])}"
    yield f"  Checkpoints every {_time(answer['save_every_seconds'])}, {answer['saves']} in total"
    yield f"  Cost        {_cost(answer)}"
    yield f"  May lose    {_loss(answer)}"
    if answer["budget"]:
        fits = "is enough" if answer["budget"]["fits"] else "is not enough"
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
    return f"usually {_time(waits['typical'])}, up to {_time(waits['bound'])}: {waits['words']}"


def _range(finish: dict[str, float]) -> str:
    return f"{_time(finish['soonest'])} to {_time(finish['latest'])}"


def _cost(answer: dict[str, Any]) -> str:
    most = f"at most {format_amount(answer['node_hours_at_most'])}"
    charge = answer["charge_at_most"]
    units = "" if charge is None else f", {charge:.4g} of the site's units"
    return f"{format_amount(answer['node_hours'])} node-hours ({most}{units})"


def _loss(answer: dict[str, Any]) -> str:
    number = answer["interruptions"]
    expected = f"{'almost no' if number < 0.001 else f'{number:.2g}'} interruptions expected"
    return f"{_time(answer['lost_at_most_seconds'])} per interruption; {expected}"


def _other(other: dict[str, Any]) -> str:
    attempts = plural(other["attempts"], "attempt")
    return (
        f"{show_minutes(other['walltime_minutes'])}: {attempts}, "
        f"finishes in {_range(other['finish'])}"
    )


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else show_minutes(round(seconds / 60))
