"""`diamond tag`: tags, a note and another name for tasks."""

from __future__ import annotations

from typing import Annotated

import typer

from diamond.cli.format import short_id
from diamond.cli.options import Json, complete_task
from diamond.cli.output import print_json, say
from diamond.core.errors import BadRequest
from diamond.sdk.client import Client
from diamond.sdk.models import Task

app = typer.Typer(rich_markup_mode=None)


@app.command()
def tag(
    tasks: Annotated[list[str], typer.Argument(metavar="TASK...", autocompletion=complete_task)],
    add: Annotated[list[str] | None, typer.Option("--add", "-a", help="A tag; repeatable.")] = None,
    remove: Annotated[
        list[str] | None, typer.Option("--remove", "-r", help="A tag to remove; repeatable.")
    ] = None,
    note: Annotated[
        str | None, typer.Option("--note", help="A note; an empty one removes it.")
    ] = None,
    name: Annotated[str | None, typer.Option("--name", help="Another name, for one task.")] = None,
    as_json: Json = False,
) -> None:
    """Tag tasks, write a note, or rename a task."""
    if not (add or remove or name) and note is None:
        raise BadRequest("Nothing to change", "Try: diamond tag TASK --add baseline")
    if name and len(tasks) > 1:
        raise BadRequest("--name is for one task", "Name one task, or use --add for a tag.")
    client = Client()
    changed = [
        client.annotate(task, name=name, note=note, add_tags=add or (), remove_tags=remove or ())
        for task in tasks
    ]
    if as_json:
        print_json({"items": [dict(task.raw) for task in changed]})
        return
    for task in changed:
        say(_described(task))


def _described(task: Task) -> str:
    tags = ", ".join(task.tags) or "no tags"
    return f"{task.name} ({short_id(task.id)}): {tags}" + (f". {task.note}" if task.note else "")
