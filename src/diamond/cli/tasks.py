"""`diamond tasks`."""

from __future__ import annotations

from typing import Annotated

import typer

from diamond.cli.format import short_id, short_reason, time_ago
from diamond.cli.offline import offline_notes
from diamond.cli.options import Json, OnEndpoint, PartOfName, SearchWords, States, check_states
from diamond.cli.output import print_json, print_table, say
from diamond.core.errors import BadRequest
from diamond.sdk.client import Client
from diamond.sdk.models import Task

app = typer.Typer(rich_markup_mode=None)
KINDS = ("run", "build", "transfer", "probe")


@app.command()
def tasks(
    state: States = None,
    endpoint: OnEndpoint = "",
    name: PartOfName = "",
    search: SearchWords = "",
    kind: Annotated[str, typer.Option("--kind", help="run, build or transfer.")] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="At most so many.")] = 20,
    everything: Annotated[bool, typer.Option("--all", "-a", help="All, without a limit.")] = False,
    cursor: Annotated[
        str, typer.Option("--cursor", help="Go on from the `next` of an earlier list.")
    ] = "",
    as_json: Json = False,
) -> None:
    """List tasks, the newest first."""
    check_states(state)
    if kind and kind not in KINDS:
        raise BadRequest(f"{kind!r} is not a kind of task", f"Kinds: {', '.join(KINDS)}")
    client = Client()
    found = client.tasks(
        state=state or [],
        endpoint=endpoint,
        name=name,
        search=search,
        kind=kind,
        cursor=cursor,
        limit=None if everything else limit,
    )
    shown = list(found)
    if as_json:
        print_json({"items": [dict(task.raw) for task in shown], "next": found.next})
        return
    _print(shown, more=found.next is not None)
    for words in offline_notes(client, [task for task in shown if not task.is_final]):
        say(words)


def _print(found: list[Task], *, more: bool) -> None:
    if not found:
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
        for task in found
    ]
    print_table(("TASK", "NAME", "STATE", "ENDPOINT", "CREATED", "WHY"), rows)
    if more:
        say(f"The newest {len(found)}; more with --limit or --all.")
