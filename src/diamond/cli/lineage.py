"""`diamond lineage`: what came from what."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from diamond.cli.format import short_id
from diamond.cli.options import Json
from diamond.cli.output import plural, print_json, say
from diamond.core.errors import BadRequest, NotFound
from diamond.sdk.client import Client

app = typer.Typer(rich_markup_mode=None)


@app.command()
def lineage(
    of: Annotated[
        str,
        typer.Argument(
            metavar="TASK|NAME|DIGEST",
            help="A task, a dataset or model (NAME or NAME@v2), or a digest.",
        ),
    ],
    back: Annotated[bool, typer.Option("--back", help="Only what it came from.")] = False,
    forward: Annotated[bool, typer.Option("--forward", help="Only what used it.")] = False,
    depth: Annotated[
        int, typer.Option("--depth", min=1, max=1000, help="At most this many steps away.")
    ] = 100,
    as_json: Json = False,
) -> None:
    """Show what a task or some data came from, and everything that used it."""
    if back and forward:
        raise BadRequest("--back and --forward exclude each other", "Leave both out for both.")
    direction = "backward" if back else "forward" if forward else "both"
    client = Client()
    found = client.lineage(_whole(client, of), direction=direction, depth=depth)
    if as_json:
        print_json(found)
        return
    for node in sorted(found["nodes"], key=lambda each: each["depth"]):
        print(_line(node))
    if forward:
        say(f"Affected: {plural(found['tasks'], 'task')}, and {plural(found['made'], 'result')}.")
    if not found["is_complete"]:
        say("The answer is cut: start closer to what you are looking for.")


def _whole(client: Client, of: str) -> str:
    """The id of a task by its beginning; anything else stays as it is."""
    if "@" in of or of.startswith("sha256:") or len(of) >= 40:
        return of
    try:
        return client.task(of).id
    except NotFound:
        return of


def _line(node: dict[str, Any]) -> str:
    """Indented by its distance: what it came from stands above."""
    steps = node["depth"]
    arrow = "● " if steps == 0 else f"{abs(steps)} back " if steps < 0 else f"{steps} on   "
    name = f"  {node['name']}" if node["name"] else ""
    rest = f"  {node['state']} on {node['endpoint']}" if node["kind"] == "task" else ""
    short = short_id(node["id"]) if node["kind"] == "task" else node["id"][:12]
    return f"{arrow:<9}{node['kind']:<6}{short:<14}{name}{rest}"
