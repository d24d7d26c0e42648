"""`diamond admin limits`, `usage` and `announce`; `diamond project limits` and `usage`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from diamond.cli.format import format_amount, time_ago
from diamond.cli.options import Json
from diamond.cli.output import print_json, print_table, say
from diamond.cli.people import Project, people
from diamond.core.errors import BadRequest
from diamond.core.units import parse_megabytes, show_bytes

NodeHours = Annotated[float | None, typer.Option("--node-hours", help="In total.")]
RunningTasks = Annotated[
    int | None, typer.Option("--running-tasks", help="Open tasks at the same time.")
]
Storage = Annotated[str, typer.Option("--storage", help="For results, such as 200GB.")]
NoLimits = Annotated[bool, typer.Option("--none", help="Remove all limits.")]
Csv = Annotated[bool, typer.Option("--csv", help="Print CSV for spreadsheets.")]


def admin_limits(
    user: Annotated[
        str,
        typer.Argument(metavar="[USER]", help="The user's id; default: the limits for everyone."),
    ] = "",
    project: Annotated[str, typer.Option("--project", help="Or a project's id.")] = "",
    node_hours: NodeHours = None,
    running_tasks: RunningTasks = None,
    storage: Storage = "",
    none: NoLimits = False,
    as_json: Json = False,
) -> None:
    """Set the limits of a user, a project or everyone; without options, show them."""
    limits = _given_limits(node_hours, running_tasks, storage, none=none)
    if limits is None and project:
        raise BadRequest(
            "No limit was given for the project", "Add for example --node-hours 500, or --none."
        )
    applied = (
        people().limits(user)
        if limits is None
        else people().set_limits(limits, user=user, project=project)
    )
    _print(applied, as_json=as_json)


def project_limits(
    project: Project,
    node_hours: NodeHours = None,
    running_tasks: RunningTasks = None,
    storage: Storage = "",
    none: NoLimits = False,
    as_json: Json = False,
) -> None:
    """Set the limits of each member of a project you manage; without options, show them."""
    limits = _given_limits(node_hours, running_tasks, storage, none=none)
    applied = people().project_limits(project, limits)
    if as_json:
        print_json(applied)
        return
    rows = [
        (who, *_limit_cells(applied[key]))
        for key, who in (("each", "each member"), ("total", "all"))
    ]
    print_table(("WHO", "NODE-HOURS", "RUNNING TASKS", "STORAGE"), rows)


def admin_usage(
    by: Annotated[str, typer.Option("--by", help="person or project.")] = "person",
    csv: Csv = False,
    as_json: Json = False,
) -> None:
    """Show how much each user or project has used."""
    if csv:
        print(people().usage_csv(), end="")
        return
    _print_usage(people().usage(by), as_json=as_json)


def project_usage(project: Project, csv: Csv = False, as_json: Json = False) -> None:
    """Show how much each member of a project you manage has used."""
    if csv:
        print(people().usage_csv(project), end="")
        return
    _print_usage(people().project_usage(project)["items"], as_json=as_json)


def announce(
    text: Annotated[
        str, typer.Argument(metavar="[TEXT]", help="Default: list announcements.")
    ] = "",
    warning: Annotated[bool, typer.Option("--warning", help="Show it as a warning.")] = False,
    remove: Annotated[
        str, typer.Option("--remove", metavar="ID", help="Remove an announcement.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Show an announcement to everyone, on all pages."""
    if remove:
        people().withdraw(remove)
        print_json({"id": remove}) if as_json else say("Removed.")
    elif text:
        made = people().announce(text, "warning" if warning else "info")
        print_json(made) if as_json else say(f"Everyone sees it now ({made['id']}).")
    else:
        items = people().announcements()
        if as_json:
            print_json({"items": items, "next": None})
            return
        rows = [
            (item["id"], item["level"], item["by"], time_ago(item["created"]), item["text"])
            for item in items
        ]
        print_table(("ID", "LEVEL", "BY", "SINCE", "TEXT"), rows)


def _given_limits(
    node_hours: float | None, running_tasks: int | None, storage: str, *, none: bool
) -> dict[str, Any] | None:
    size = parse_megabytes(storage) << 20 if storage else None
    given = {"node_hours": node_hours, "running_tasks": running_tasks, "storage_bytes": size}
    return given if none or any(value is not None for value in given.values()) else None


def _print(limits: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(limits)
        return
    print_table(("NODE-HOURS", "RUNNING TASKS", "STORAGE"), [_limit_cells(limits)])


def _limit_cells(limits: dict[str, Any]) -> tuple[str, str, str]:
    hours, tasks, size = limits["node_hours"], limits["running_tasks"], limits["storage_bytes"]
    return (
        "no limit" if hours is None else f"{hours:g}",
        "no limit" if tasks is None else str(tasks),
        "no limit" if size is None else show_bytes(size),
    )


def _print_usage(items: list[dict[str, Any]], *, as_json: bool) -> None:
    if as_json:
        print_json({"items": items, "next": None})
        return
    rows = [
        (
            item["name"],
            format_amount(item["use"]["node_hours"]),
            _limit_cells(item["limits"])[0],
            str(item["use"]["running_tasks"]),
            str(item["use"]["tasks"]),
            show_bytes(item["use"]["storage_bytes"]),
        )
        for item in items
    ]
    print_table(("NAME", "NODE-HOURS", "OF", "RUNNING", "TASKS", "STORAGE"), rows)
