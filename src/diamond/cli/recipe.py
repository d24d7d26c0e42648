"""`diamond recipe`: complete example jobs that come with Diamond."""

from __future__ import annotations

from typing import Annotated

import typer

from diamond.cli.option_groups import option_groups
from diamond.cli.options import Json, TargetOptions, WaitForEnd
from diamond.cli.output import print_json, print_table, say
from diamond.cli.run import print_job
from diamond.cli.wait import wait_for_job
from diamond.sdk.client import Client

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Example jobs that come with Diamond."
)
Name = Annotated[str, typer.Argument(metavar="NAME", help="A name from `diamond recipe list`.")]


@app.command(name="list")
def list_recipes(as_json: Json = False) -> None:
    """List recipes, easiest first."""
    items = Client().recipes()
    if as_json:
        print_json({"items": items, "next": None})
        return
    print_table(
        ("NAME", "WHAT", "NEEDS"),
        [(recipe["name"], recipe["title"], ", ".join(recipe["tags"])) for recipe in items],
    )
    say("Run one: diamond recipe run NAME")


@app.command()
def show(name: Name, as_json: Json = False) -> None:
    """Print a recipe's page and its spec."""
    recipe = Client().recipe(name)
    if as_json:
        print_json(recipe)
        return
    print(f"{recipe['readme'].rstrip()}\n\n{recipe['yaml'].rstrip()}")


@app.command()
@option_groups
def run(
    name: Name,
    target: TargetOptions,
    wait: WaitForEnd = False,
    as_json: Json = False,
) -> None:
    """Run a recipe with its code."""
    client = Client()
    job = client.run_recipe(name, on=target.on, set=target.settings or [])
    if wait:
        raise typer.Exit(wait_for_job(client, job, as_json=as_json))
    print_job(job, as_json=as_json)
