"""`diamond share`: show a job, an image or an endpoint's profile to others."""

from __future__ import annotations

from typing import Annotated

import typer

from diamond.cli.options import Json
from diamond.cli.output import print_json, print_table, say
from diamond.cli.people import people
from diamond.core.errors import BadRequest
from diamond.sdk.client import Client

app = typer.Typer(rich_markup_mode=None)


@app.command()
def share(
    thing: Annotated[
        str,
        typer.Argument(
            metavar="THING",
            help="A job or task id, or its beginning; a name with --image, --endpoint.",
        ),
    ],
    person: Annotated[str, typer.Option("--with", help="A person: id, address or name.")] = "",
    project: Annotated[str, typer.Option("--project", help="Or a project of yours.")] = "",
    everyone: Annotated[bool, typer.Option("--everyone", help="Or all of this Diamond.")] = False,
    stop: Annotated[bool, typer.Option("--stop", help="No longer.")] = False,
    image: Annotated[bool, typer.Option("--image", help="THING is an image.")] = False,
    endpoint: Annotated[
        bool, typer.Option("--endpoint", help="THING is an endpoint: its profile is shared.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Share a job with its results, an image, or an endpoint's profile; without options, list with whom."""
    holders = [("person", person)] * bool(person) + [("project", project)] * bool(project)
    holders += [("everyone", "")] * everyone
    if len(holders) > 1 or (image and endpoint):
        raise BadRequest("One thing with one holder at a time", "Such as: --with ada@example.edu")
    kind = "images" if image else "endpoints" if endpoint else "jobs"
    thing = Client().task(thing).job if kind == "jobs" else thing
    if holders and stop:
        people().stop_sharing(kind, thing, *holders[0])
    elif holders:
        people().share(thing, *holders[0], kind=kind)
    items = people().shares(kind, thing)
    if as_json:
        print_json({"items": items, "next": None})
        return
    if not items:
        say("It is shared with nobody.")
        return
    print_table(("WITH", "NAME", "ID"), [(o["with_kind"], o["name"], o["with_id"]) for o in items])
