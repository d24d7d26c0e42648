"""`diamond files`, `get` and `report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from diamond.cli.format import short_id, time_ago
from diamond.cli.options import Json, TaskId
from diamond.cli.output import print_json, print_table, say
from diamond.core.units import show_bytes
from diamond.sdk.client import Client

app = typer.Typer(rich_markup_mode=None)


@app.command()
def files(
    task: TaskId,
    path: Annotated[str, typer.Argument(metavar="[PATH]", help="A folder in it.")] = "",
    as_json: Json = False,
) -> None:
    """List what is in a task's run directory."""
    items = Client().files(task, path)
    if as_json:
        print_json({"items": items, "next": None})
        return
    if not items:
        say("Nothing there.")
        return
    rows = [
        (
            _name(one),
            show_bytes(int(one.get("size") or 0)) if one["kind"] == "file" else one["kind"],
            time_ago(one.get("modified")),
        )
        for one in items
    ]
    print_table(("PATH", "SIZE", "MODIFIED"), rows)
    say(f"Fetch one: diamond get {short_id(task)} PATH")


@app.command()
def get(
    task: TaskId,
    path: Annotated[str, typer.Argument(metavar="PATH", help="A file or folder; . for all.")],
    dest: Annotated[
        str | None, typer.Argument(metavar="[DEST]", help="Where to; default: here.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Fetch a file or folder of a task; run it again to go on after a break."""
    written = Client().get(task, path, dest, say=say)
    if as_json:
        items = [{"path": str(one), "size": one.stat().st_size} for one in written]
        print_json({"items": items, "next": None})
        return
    for one in written:
        print(f"{one}  {show_bytes(one.stat().st_size)}")


@app.command()
def report(
    task: TaskId,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write it to this file.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Make a bundle for a support ticket, without secrets; JSON for people and programs."""
    import json

    text = json.dumps(Client().report(task), indent=2, ensure_ascii=False)
    if output is None:
        print(text)
        return
    output.write_text(text + "\n")
    if as_json:
        print_json({"path": str(output)})
    else:
        say(f"Written to {output}. Read it before you send it on.")


def _name(entry: dict[str, object]) -> str:
    return f"{entry['path']}/" if entry["kind"] == "folder" else str(entry["path"])
