"""`diamond project`: groups that share their work."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from diamond.cli.format import time_ago
from diamond.cli.limits import project_limits, project_usage
from diamond.cli.options import Json
from diamond.cli.output import print_json, print_table, say
from diamond.cli.people import Project, people

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Projects: groups that share their work."
)
Person = Annotated[
    str, typer.Argument(metavar="PERSON", help="An id, or a full e-mail address or name.")
]
RoleOption = Annotated[str, typer.Option("--role", help="viewer, member or manager.")]


app.command(name="limits")(project_limits)
app.command(name="usage")(project_usage)


@app.command()
def create(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    title: Annotated[str, typer.Option("--title", help="A one-line title.")] = "",
    as_json: Json = False,
) -> None:
    """Create a project; you own and manage it."""
    made = people().create_project(name, title)
    print_json(made) if as_json else say(f"Created {made['name']} ({made['id']}).")


@app.command(name="list")
def list_projects(as_json: Json = False) -> None:
    """List your projects."""
    items = people().projects()
    if as_json:
        print_json({"items": items, "next": None})
        return
    rows = [
        (project["name"], project["role"], project["title"], time_ago(project["created"]))
        for project in items
    ]
    print_table(("PROJECT", "YOU ARE", "TITLE", "CREATED"), rows)


@app.command()
def show(project: Project, as_json: Json = False) -> None:
    """Show the members of a project."""
    _print(people().project(project), as_json=as_json)


@app.command()
def add(
    project: Project, person: Person, role: RoleOption = "member", as_json: Json = False
) -> None:
    """Add a user to a project, or change their role."""
    _print(people().put_member(project, person, role), as_json=as_json)


@app.command()
def remove(project: Project, person: Person, as_json: Json = False) -> None:
    """Remove a member, or leave; their work stays."""
    people().remove_member(project, person)
    print_json({"project": project, "person": person}) if as_json else say("Removed.")


@app.command()
def invite(
    project: Project,
    email: Annotated[
        str,
        typer.Option(
            "--email", help="Only for this e-mail address; default: for anyone with the link."
        ),
    ] = "",
    role: RoleOption = "member",
    as_json: Json = False,
) -> None:
    """Create a link that lets one person join, once."""
    made = people().invite(email=email, project=project, role=role)
    if as_json:
        print_json(made)
        return
    print(made["url"])
    say("The link works once, within two weeks, and is not shown again.")


@app.command()
def restrict(
    project: Project,
    endpoints: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ENDPOINT]...", help="Yours by name, or others by id."),
    ] = None,
    lift: Annotated[bool, typer.Option("--lift", help="Allow all endpoints again.")] = False,
    as_json: Json = False,
) -> None:
    """Restrict a project to these endpoints; its data then never passes through the service."""
    changed = people().restrict(project, None if lift else endpoints or [])
    print_json(changed) if as_json else say(
        f"{changed['name']} may only use {len(changed['endpoints'])} endpoints."
        if changed["endpoints"] is not None
        else f"{changed['name']} may use any endpoint."
    )


def _print(project: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(project)
        return
    rows = [
        (
            member["id"],
            member["name"],
            member["email"],
            "owner" if member["is_owner"] else member["role"],
        )
        for member in project["members"]
    ]
    print_table(("PERSON", "NAME", "ADDRESS", "ROLE"), rows)
