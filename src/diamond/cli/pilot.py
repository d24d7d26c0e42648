"""`diamond pilot`: allocations that run several tasks inside them."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

from diamond.cli.format import duration, short_id, time_ago
from diamond.cli.options import Json
from diamond.cli.output import plural, print_json, print_table, say
from diamond.core.units import show_bytes, show_minutes
from diamond.sdk.client import Client

app = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Allocations that run several tasks inside them.",
)
PilotId = Annotated[str, typer.Argument(metavar="PILOT", help="Its id, or a unique prefix.")]


@app.command()
def start(
    nodes: Annotated[int, typer.Option("--nodes", "-N", min=1)] = 1,
    walltime: Annotated[
        str, typer.Option("--time", "-t", help="Such as 8h; default: 1h, or the site's limit.")
    ] = "",
    on: Annotated[str, typer.Option("--on", help="An endpoint, or ENDPOINT/PARTITION.")] = "auto",
    gpus: Annotated[int, typer.Option("--gpus", min=0, help="Per node.")] = 0,
    cpus: Annotated[
        int, typer.Option("--cpus", min=0, help="Per node; default: all that a node has.")
    ] = 0,
    memory: Annotated[str, typer.Option("--memory", help="Per node, such as 64GB.")] = "",
    account: Annotated[str, typer.Option("--account", help="Who pays.")] = "auto",
    idle: Annotated[
        str, typer.Option("--idle", help="Release it after this time with nothing to do.")
    ] = "5m",
    name: Annotated[str, typer.Option("--name")] = "pilot",
    project: Annotated[str, typer.Option("--project", help="Name or id.")] = "",
    as_json: Json = False,
) -> None:
    """Request an allocation. Pipelines with `together:` that fit into it run in it."""
    given = {
        "walltime": walltime,
        "gpus_per_node": gpus,
        "cpus_per_node": cpus,
        "memory": memory,
    }
    asked = {name: value for name, value in given.items() if value}
    pilot = Client().start_pilot(
        name, project=project, nodes=nodes, on=on, account=account, idle=idle, **asked
    )
    _print(pilot, as_json=as_json)
    if not as_json:
        say(f"Stop it: diamond pilot stop {short_id(pilot['id'])}")


@app.command(name="list")
def list_pilots(as_json: Json = False) -> None:
    """List pilots, newest first."""
    items = list(Client().pilots(limit=50))
    if as_json:
        print_json({"items": items, "next": None})
        return
    rows = [
        (
            short_id(one["id"]),
            one["name"],
            _state(one),
            one["endpoint"],
            _size(one),
            _time_left(one),
            _inside(one["counts"]),
            time_ago(one["created"]),
        )
        for one in items
    ]
    head = ("PILOT", "NAME", "STATE", "ENDPOINT", "SIZE", "TIME LEFT", "TASKS", "STARTED")
    print_table(head, rows)


@app.command()
def show(pilot: PilotId, as_json: Json = False) -> None:
    """Show a pilot: its allocation, the time it has left, and what runs in it."""
    _print(Client().pilot(pilot), as_json=as_json)


@app.command()
def stop(
    pilot: PilotId,
    now: Annotated[bool, typer.Option("--now", help="Cancel what runs in it.")] = False,
    as_json: Json = False,
) -> None:
    """Release a pilot once what runs in it has ended. Nothing new starts in it."""
    _print(Client().stop_pilot(pilot, now=now), as_json=as_json)


def _print(pilot: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(pilot)
        return
    print(f"{pilot['name']}  {pilot['id']}  {_state(pilot)}")
    where = "/".join(part for part in (pilot["endpoint"], pilot["partition"]) if part)
    print(f"  on {where}: {_size(pilot)}, {show_minutes(pilot['walltime_minutes'])}")
    if left := _time_left(pilot):
        print(f"  time left: {left}")
    if inside := _inside(pilot["counts"]):
        print(f"  tasks: {inside}")
    if pilot["pipeline"]:
        print(f"  started by the pipeline {pilot['pipeline']}")
    if pilot["study"]:
        print(f"  runs trials of the study {pilot['study']}")
    print(f"  released after {duration(pilot['idle_seconds'])} with nothing to do")
    for warning in pilot.get("warnings", []):
        say(f"Warning: {warning}")
    if pilot["message"]:
        print(f"  {pilot['message']}")


def _state(pilot: dict[str, Any]) -> str:
    return f"{pilot['state']}, closing" if pilot["is_closing"] else str(pilot["state"])


def _size(pilot: dict[str, Any]) -> str:
    parts = [plural(pilot["nodes"], "node"), plural(pilot["cpus_per_node"], "core")]
    if pilot["gpus_per_node"]:
        parts.append(plural(pilot["gpus_per_node"], "GPU"))
    if pilot["memory_mb"]:
        parts.append(show_bytes(pilot["memory_mb"] * 2**20))
    return ", ".join(parts) + (" each" if pilot["nodes"] > 1 else "")


def _time_left(pilot: dict[str, Any]) -> str:
    return duration(pilot["until"] - time.time()) if pilot["until"] else ""


def _inside(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {state}" for state, count in counts.items() if count)
