"""`diamond share`: share a job, a pipeline, an image, a model or an endpoint's profile."""

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
            help="A job or task id or prefix; a pipeline with --pipeline; a name with --image, --model or --endpoint.",
        ),
    ],
    person: Annotated[str, typer.Option("--with", help="A user: id, e-mail address or name.")] = "",
    project: Annotated[str, typer.Option("--project", help="Or one of your projects.")] = "",
    everyone: Annotated[
        bool, typer.Option("--everyone", help="Or all users of this service.")
    ] = False,
    stop: Annotated[bool, typer.Option("--stop", help="Stop sharing.")] = False,
    pipeline: Annotated[
        bool, typer.Option("--pipeline", help="THING is a pipeline, shared with all its tasks.")
    ] = False,
    image: Annotated[bool, typer.Option("--image", help="THING is an image.")] = False,
    model: Annotated[bool, typer.Option("--model", help="THING is a model.")] = False,
    endpoint: Annotated[
        bool, typer.Option("--endpoint", help="THING is an endpoint; its profile is shared.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Share a job with its results, a pipeline, an image, a model, or an endpoint's profile; without options, list who has access."""
    recipients = [("person", person)] * bool(person) + [("project", project)] * bool(project)
    recipients += [("everyone", "")] * everyone
    if len(recipients) > 1 or pipeline + image + model + endpoint > 1:
        raise BadRequest(
            "Share one thing with one recipient at a time", "For example: --with ada@example.edu"
        )
    kinds = {"pipelines": pipeline, "images": image, "models": model, "endpoints": endpoint}
    kind = next((kind for kind, is_meant in kinds.items() if is_meant), "jobs")
    thing = Client().task(thing).job if kind == "jobs" else thing
    if recipients and stop:
        people().stop_sharing(kind, thing, *recipients[0])
    elif recipients:
        people().share(thing, *recipients[0], kind=kind)
    items = people().shares(kind, thing)
    if as_json:
        print_json({"items": items, "next": None})
        return
    if not items:
        say("It is not shared.")
        return
    print_table(
        ("WITH", "NAME", "ID"),
        [(share["with_kind"], share["name"], share["with_id"]) for share in items],
    )
