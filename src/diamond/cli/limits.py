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

NodeHours = Annotated[float | None, typer.Option("--node-hours", help="In all.")]
RunningTasks = Annotated[
    int | None, typer.Option("--running-tasks", help="That have not ended, at a time.")
]
Storage = Annotated[str, typer.Option("--storage", help="Of results, such as 200GB.")]
NoLimits = Annotated[bool, typer.Option("--none", help="Take all limits away.")]
Csv = Annotated[bool, typer.Option("--csv", help="Print a table for spreadsheets.")]


def admin_limits(
    user: Annotated[
        str, typer.Argument(metavar="[USER]", help="A person's id; left out: everybody's.")
    ] = "",
    project: Annotated[str, typer.Option("--project", help="Or the id of a project.")] = "",
    node_hours: NodeHours = None,
    running_tasks: RunningTasks = None,
    storage: Storage = "",
    none: NoLimits = False,
    as_json: Json = False,
) -> None:
    """Set what a person, a project or everybody may use; without options, show it."""
    wanted = _wanted(node_hours, running_tasks, storage, none=none)
    if wanted is None and project:
        raise BadRequest("Say what the project may use", "Such as --node-hours 500, or --none.")
    found = (
        people().limits(user)
        if wanted is None
        else people().set_limits(wanted, user=user, project=project)
    )
    _print(found, as_json=as_json)


def project_limits(
    project: Project,
    node_hours: NodeHours = None,
    running_tasks: RunningTasks = None,
    storage: Storage = "",
    none: NoLimits = False,
    as_json: Json = False,
) -> None:
    """Set what each member may use in a project, as its manager; without options, show it."""
    wanted = _wanted(node_hours, running_tasks, storage, none=none)
    found = people().project_limits(project, wanted)
    if as_json:
        print_json(found)
        return
    rows = [(who, *_words(found[key])) for key, who in (("each", "each member"), ("total", "all"))]
    print_table(("WHO", "NODE-HOURS", "RUNNING TASKS", "STORAGE"), rows)


def admin_usage(
    by: Annotated[str, typer.Option("--by", help="person or project.")] = "person",
    csv: Csv = False,
    as_json: Json = False,
) -> None:
    """Print who used how much."""
    if csv:
        print(people().usage_csv(), end="")
        return
    _print_usage(people().usage(by), as_json=as_json)


def project_usage(project: Project, csv: Csv = False, as_json: Json = False) -> None:
    """Print how much each member used in a project, as its manager."""
    if csv:
        print(people().usage_csv(project), end="")
        return
    _print_usage(people().project_usage(project)["items"], as_json=as_json)


def announce(
    text: Annotated[str, typer.Argument(metavar="[TEXT]", help="Left out: list them.")] = "",
    warning: Annotated[bool, typer.Option("--warning", help="Shown as a warning.")] = False,
    remove: Annotated[str, typer.Option("--remove", metavar="ID", help="Take one back.")] = "",
    as_json: Json = False,
) -> None:
    """Say something to everybody, on all pages at once."""
    if remove:
        people().withdraw(remove)
        print_json({"id": remove}) if as_json else say("Taken back.")
    elif text:
        made = people().announce(text, "warning" if warning else "info")
        print_json(made) if as_json else say(f"Everybody sees it now ({made['id']}).")
    else:
        items = people().announcements()
        if as_json:
            print_json({"items": items, "next": None})
            return
        rows = [
            (one["id"], one["level"], one["by"], time_ago(one["created"]), one["text"])
            for one in items
        ]
        print_table(("ID", "LEVEL", "BY", "SINCE", "TEXT"), rows)


def _wanted(
    node_hours: float | None, running_tasks: int | None, storage: str, *, none: bool
) -> dict[str, Any] | None:
    size = parse_megabytes(storage) << 20 if storage else None
    given = {"node_hours": node_hours, "running_tasks": running_tasks, "storage_bytes": size}
    return given if none or any(value is not None for value in given.values()) else None


def _print(found: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    print_table(("NODE-HOURS", "RUNNING TASKS", "STORAGE"), [_words(found)])


def _words(found: dict[str, Any]) -> tuple[str, str, str]:
    hours, tasks, size = found["node_hours"], found["running_tasks"], found["storage_bytes"]
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
            one["name"],
            format_amount(one["use"]["node_hours"]),
            _words(one["limits"])[0],
            str(one["use"]["running_tasks"]),
            str(one["use"]["tasks"]),
            show_bytes(one["use"]["storage_bytes"]),
        )
        for one in items
    ]
    print_table(("NAME", "NODE-HOURS", "OF", "RUNNING", "TASKS", "STORAGE"), rows)
