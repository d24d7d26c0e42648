"""`diamond clean`: shows what it would remove; removes with --yes."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from diamond.cli.format import short_id, time_ago
from diamond.cli.options import Json, Yes, complete_endpoint
from diamond.cli.output import plural, print_json, print_table, say
from diamond.core.errors import EndpointAway
from diamond.core.units import show_bytes
from diamond.sdk.client import Client

app = typer.Typer(rich_markup_mode=None)


@app.command()
def clean(
    tasks: Annotated[
        list[str] | None, typer.Argument(metavar="[TASK...]", help="Only these tasks.")
    ] = None,
    on: Annotated[
        str,
        typer.Option(
            "--on", help="One endpoint; default: all online ones.", autocompletion=complete_endpoint
        ),
    ] = "",
    older_than_days: Annotated[
        float | None,
        typer.Option(
            "--older-than", metavar="DAYS", help="Ended at least this long ago; default: 7."
        ),
    ] = None,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Remove run directories of tasks that have ended; without --yes, only list them."""
    client = Client()
    names = (
        [on]
        if on
        else [endpoint.name for endpoint in client.endpoints() if endpoint.state == "online"]
    )
    selection = _selection(client, tasks, older_than_days)
    pages = {name: _clean(client, name, {**selection, "dry_run": not yes}) for name in names}
    if as_json:
        items = [
            {**item, "endpoint": name} for name, page in pages.items() for item in page["items"]
        ]
        print_json({"items": items, "next": None, "dry_run": not yes})
        return
    _print(pages, removed=yes)


def _selection(client: Client, tasks: list[str] | None, days: float | None) -> dict[str, Any]:
    if tasks:
        return {"tasks": [client.task(task).id for task in tasks]}
    return {"older_than_days": 7 if days is None else days}


def _clean(client: Client, name: str, body: dict[str, Any]) -> dict[str, Any]:
    try:
        return client.clean(name, body)
    except EndpointAway as error:
        say(f"{name}: {error.message}")
        return {"items": [], "bytes": 0, "kept": []}


def _print(pages: dict[str, dict[str, Any]], *, removed: bool) -> None:
    rows = [
        (
            short_id(item["task"]),
            item["name"],
            name,
            show_bytes(item["bytes"]),
            time_ago(item.get("ended")),
        )
        for name, page in pages.items()
        for item in page["items"]
    ]
    kept = [task for page in pages.values() for task in page["kept"]]
    if kept:
        names = ", ".join(map(short_id, kept))
        say(f"Kept, since they hold the last copy of a model: {names}. Copy it: diamond model keep")
    if not rows:
        say("Nothing to remove.")
        return
    print_table(("TASK", "NAME", "ENDPOINT", "SIZE", "ENDED"), rows)
    total = show_bytes(sum(page["bytes"] for page in pages.values()))
    what = f"{plural(len(rows), 'run directory', 'run directories')} ({total})"
    if removed:
        say(f"Removing {what}.")
    else:
        say(f"Nothing was removed. To remove {what}, add --yes.")
