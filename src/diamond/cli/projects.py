"""`diamond project`: work together."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from diamond.cli.options import Json
from diamond.cli.output import print_json, print_table, say
from diamond.cli.words import age
from diamond.sdk.client import Client
from diamond.sdk.people import People

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Projects: people who see one another's work."
)
Project = Annotated[str, typer.Argument(metavar="PROJECT", help="Its name or id.")]
Person = Annotated[str, typer.Argument(metavar="PERSON", help="An id, or a whole address or name.")]
RoleOption = Annotated[str, typer.Option("--role", help="viewer, member or manager.")]


def people() -> People:
    return People(Client().transport)


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
    rows = [(one["name"], one["role"], one["title"], age(one["created"])) for one in items]
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


def _print(project: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(project)
        return
    rows = [
        (one["id"], one["name"], one["email"], "owner" if one["is_owner"] else one["role"])
        for one in project["members"]
    ]
    print_table(("PERSON", "NAME", "ADDRESS", "ROLE"), rows)
