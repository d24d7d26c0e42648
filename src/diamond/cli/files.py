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
    path: Annotated[
        str, typer.Argument(metavar="[PATH]", help="A folder in the run directory.")
    ] = "",
    as_json: Json = False,
) -> None:
    """List the files in a task's run directory."""
    items = Client().files(task, path)
    if as_json:
        print_json({"items": items, "next": None})
        return
    if not items:
        say("No files.")
        return
    rows = [
        (
            _name(entry),
            show_bytes(int(entry.get("size") or 0)) if entry["kind"] == "file" else entry["kind"],
            time_ago(entry.get("modified")),
        )
        for entry in items
    ]
    print_table(("PATH", "SIZE", "MODIFIED"), rows)
    say(f"Download one: diamond get {short_id(task)} PATH")


@app.command()
def get(
    task: TaskId,
    path: Annotated[
        str, typer.Argument(metavar="PATH", help="A file or folder; . for everything.")
    ],
    dest: Annotated[
        str | None,
        typer.Argument(metavar="[DEST]", help="Destination; default: the current folder."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Download a file or folder of a task; run it again to resume after an interruption."""
    written = Client().get(task, path, dest, say=say)
    if as_json:
        items = [{"path": str(path), "size": path.stat().st_size} for path in written]
        print_json({"items": items, "next": None})
        return
    for file in written:
        print(f"{file}  {show_bytes(file.stat().st_size)}")


@app.command()
def report(
    task: TaskId,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write it to this file.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Create a JSON report for a support ticket, without secrets."""
    import json

    text = json.dumps(Client().report(task), indent=2, ensure_ascii=False)
    if output is None:
        print(text)
        return
    output.write_text(text + "\n")
    if as_json:
        print_json({"path": str(output)})
    else:
        say(f"Written to {output}. Read it before you share it.")


def _name(entry: dict[str, object]) -> str:
    return f"{entry['path']}/" if entry["kind"] == "folder" else str(entry["path"])
