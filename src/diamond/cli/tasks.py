"""`diamond tasks`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from diamond.cli.endpoint_status import offline_notes
from diamond.cli.format import short_id, time_ago
from diamond.cli.option_groups import option_groups
from diamond.cli.options import Json, TaskFilter
from diamond.cli.output import print_json, print_table, say
from diamond.cli.task_status import short_reason
from diamond.core.errors import BadRequest
from diamond.sdk.client import Client
from diamond.sdk.models import Task

app = typer.Typer(rich_markup_mode=None)
KINDS = ("run", "trial", "build", "transfer", "probe")


@dataclass(frozen=True)
class PageOptions:
    """How much of the list is shown."""

    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="Show at most this many.")] = 20
    everything: Annotated[bool, typer.Option("--all", "-a", help="Show all of them.")] = False
    cursor: Annotated[
        str, typer.Option("--cursor", help="Continue from the `next` of an earlier list.")
    ] = ""


@app.command()
@option_groups
def tasks(
    which: TaskFilter,
    kind: Annotated[str, typer.Option("--kind", help=f"One of {', '.join(KINDS)}.")] = "",
    *,
    page: PageOptions,
    as_json: Json = False,
) -> None:
    """List tasks, newest first."""
    if kind and kind not in KINDS:
        raise BadRequest(f"{kind!r} is not a kind of task", f"Kinds: {', '.join(KINDS)}")
    client = Client()
    listing = client.tasks(
        state=which.state or [],
        endpoint=which.endpoint,
        name=which.name,
        search=which.search,
        tag=which.tag,
        kind=kind,
        cursor=page.cursor,
        limit=None if page.everything else page.limit,
    )
    shown = list(listing)
    if as_json:
        print_json({"items": [dict(task.raw) for task in shown], "next": listing.next})
        return
    _print(shown, more=listing.next is not None)
    for note in offline_notes(client, [task for task in shown if not task.is_final]):
        say(note)


def _print(shown: list[Task], *, more: bool) -> None:
    if not shown:
        say("No tasks. Start one: diamond run -- python train.py")
        return
    rows = [
        (
            short_id(task.id),
            task.name,
            task.state,
            task.endpoint,
            time_ago(task.created),
            short_reason(task),
        )
        for task in shown
    ]
    print_table(("TASK", "NAME", "STATE", "ENDPOINT", "CREATED", "WHY"), rows)
    if more:
        say(f"These are the newest {len(shown)}. Show more with --limit or --all.")
