"""`diamond recipe`: complete example jobs that come with Diamond."""

from __future__ import annotations

from typing import Annotated

import typer

from diamond.cli.options import Json, complete_endpoint
from diamond.cli.output import print_json, print_table, say
from diamond.cli.run import print_job
from diamond.cli.wait import wait_for_job
from diamond.sdk.client import Client

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Example jobs that come with Diamond."
)
Name = Annotated[str, typer.Argument(metavar="NAME", help="As `diamond recipe list` names it.")]


@app.command(name="list")
def list_recipes(as_json: Json = False) -> None:
    """List the recipes, the easiest first."""
    items = Client().recipes()
    if as_json:
        print_json({"items": items, "next": None})
        return
    print_table(
        ("NAME", "WHAT", "NEEDS"),
        [(one["name"], one["title"], ", ".join(one["tags"])) for one in items],
    )
    say("Run one: diamond recipe run NAME")


@app.command()
def show(name: Name, as_json: Json = False) -> None:
    """Print a recipe's page and its spec."""
    found = Client().recipe(name)
    if as_json:
        print_json(found)
        return
    print(f"{found['readme'].rstrip()}\n\n{found['yaml'].rstrip()}")


@app.command()
def run(
    name: Name,
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
    wait: Annotated[bool, typer.Option("--wait", "-w", help="Stay until it has ended.")] = False,
    as_json: Json = False,
) -> None:
    """Run a recipe with the code that comes with it."""
    client = Client()
    job = client.run_recipe(name, on=on, set=settings or [])
    if wait:
        raise typer.Exit(wait_for_job(client, job, as_json=as_json))
    print_job(job, as_json=as_json)
