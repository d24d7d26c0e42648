"""`diamond project`: work together."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from diamond.cli.format import time_ago
from diamond.cli.limits import project_limits, project_usage
from diamond.cli.options import Json
from diamond.cli.output import print_json, print_table, say
from diamond.cli.people import Project, people

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Projects: people who see one another's work."
)
Person = Annotated[str, typer.Argument(metavar="PERSON", help="An id, or a whole address or name.")]
RoleOption = Annotated[str, typer.Option("--role", help="viewer, member or manager.")]


app.command(name="limits")(project_limits)
app.command(name="usage")(project_usage)


@app.command()
def create(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    title: Annotated[str, typer.Option("--title", help="What it is about.")] = "",
    as_json: Json = False,
) -> None:
    """Make a project; you own and manage it."""
    made = people().create_project(name, title)
    print_json(made) if as_json else say(f"Made {made['name']} ({made['id']}).")


@app.command(name="list")
def list_projects(as_json: Json = False) -> None:
    """List the projects that you are in."""
    items = people().projects()
    if as_json:
        print_json({"items": items, "next": None})
        return
    rows = [(one["name"], one["role"], one["title"], time_ago(one["created"])) for one in items]
    print_table(("PROJECT", "YOU ARE", "TITLE", "CREATED"), rows)


@app.command()
def show(project: Project, as_json: Json = False) -> None:
    """Show who is in a project."""
    _print(people().project(project), as_json=as_json)


@app.command()
def add(
    project: Project, person: Person, role: RoleOption = "member", as_json: Json = False
) -> None:
    """Add somebody who is known here, or change what she is in it."""
    _print(people().put_member(project, person, role), as_json=as_json)


@app.command()
def remove(project: Project, person: Person, as_json: Json = False) -> None:
    """Remove somebody, or leave; what she made stays."""
    people().remove_member(project, person)
    print_json({"project": project, "person": person}) if as_json else say("Removed.")


@app.command()
def invite(
    project: Project,
    email: Annotated[
        str,
        typer.Option("--email", help="Only for who has this address; else for one with the link."),
    ] = "",
    role: RoleOption = "member",
    as_json: Json = False,
) -> None:
    """Make a link that lets one person in, once."""
    made = people().invite(email=email, project=project, role=role)
    if as_json:
        print_json(made)
        return
    print(made["url"])
    say("It works once, within two weeks, and is not shown again.")


@app.command()
def restrict(
    project: Project,
    endpoints: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ENDPOINT]...", help="Yours by name, or anybody's by id."),
    ] = None,
    lift: Annotated[bool, typer.Option("--lift", help="Any endpoint again.")] = False,
    as_json: Json = False,
) -> None:
    """Let a project run on these endpoints alone; nothing of it then passes through the service's store."""
    changed = people().restrict(project, None if lift else endpoints or [])
    print_json(changed) if as_json else say(
        f"{changed['name']} runs on {len(changed['endpoints'])} listed endpoints."
        if changed["endpoints"] is not None
        else f"{changed['name']} runs anywhere."
    )


def _print(project: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(project)
        return
    rows = [
        (one["id"], one["name"], one["email"], "owner" if one["is_owner"] else one["role"])
        for one in project["members"]
    ]
    print_table(("PERSON", "NAME", "ADDRESS", "ROLE"), rows)
