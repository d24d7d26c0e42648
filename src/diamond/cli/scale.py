"""`diamond scale`: how many nodes a training is worth, and which settings, by short probe runs."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from diamond.cli.format import short_id, time_ago
from diamond.cli.options import Json, complete_endpoint
from diamond.cli.output import print_json, print_table, say
from diamond.cli.scale_format import progress_lines, scale_lines
from diamond.core.errors import BadRequest
from diamond.sdk.client import Client

NOT_DONE = 1


class SpecFirst(TyperGroup):
    """`diamond scale SPEC` is short for `diamond scale start SPEC`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args or (args[0] not in self.commands and args[0] not in ("-h", "--help")):
            args = ["start", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=SpecFirst,
    rich_markup_mode=None,
    help="Short probe runs: how many nodes, and which settings, are worth it.",
)
ScaleId = Annotated[
    str | None,
    typer.Argument(metavar="SCALE", help="Its id or the beginning of it; left out: the newest."),
]


@app.command()
def start(
    spec: Annotated[
        str, typer.Argument(metavar="SPEC", help="A diamond.yaml, or its folder.")
    ] = "diamond.yaml",
    nodes: Annotated[
        str | None, typer.Option("--nodes", metavar="1,2,4", help="Numbers of nodes to probe.")
    ] = None,
    goal: Annotated[
        str, typer.Option("--goal", help="soonest, cheapest, or efficiency:0.7.")
    ] = "soonest",
    tune: Annotated[
        bool, typer.Option("--tune", help="Try settings on one node instead of numbers of nodes.")
    ] = False,
    steps: Annotated[
        int | None, typer.Option("--steps", help="Steps to measure in each probe.")
    ] = None,
    minutes: Annotated[
        int | None, typer.Option("--minutes", help="The time limit of a probe.")
    ] = None,
    batch_param: Annotated[
        str | None, typer.Option("--batch-param", metavar="NAME", help="Samples of one rank.")
    ] = None,
    accumulate_param: Annotated[
        str | None, typer.Option("--accumulate-param", metavar="NAME", help="Batches per update.")
    ] = None,
    together: Annotated[bool, typer.Option("--together", help="Queue all probes at once.")] = False,
    wait: Annotated[bool, typer.Option("--wait", "-w", help="Stay until it is over.")] = False,
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
    as_json: Json = False,
) -> None:
    """Probe a spec by short runs. With --wait the exit code is 0 when they told something."""
    wanted = {
        "nodes": _sizes(nodes),
        "goal": goal,
        "tune": tune,
        "steps": steps,
        "minutes": minutes,
        "batch_param": batch_param,
        "accumulate_param": accumulate_param,
        "together": together,
    }
    given = {name: value for name, value in wanted.items() if value is not None}
    client = Client()
    made = client.scale(spec, given, on=on, set=settings or [], say=say)
    if wait:
        _follow(client, made, as_json=as_json)
        return
    _tell(made, as_json=as_json)
    say(f"Follow it: diamond scale show {short_id(made['id'])} --wait")


@app.command()
def show(
    scale: ScaleId = None,
    wait: Annotated[bool, typer.Option("--wait", "-w", help="Stay until it is over.")] = False,
    as_json: Json = False,
) -> None:
    """Show what probe runs told."""
    client = Client()
    found = client.get_scale(scale) if scale else _newest(client)
    if wait:
        _follow(client, found, as_json=as_json)
        return
    _tell(found, as_json=as_json)


@app.command(name="list")
def list_scales(as_json: Json = False) -> None:
    """List them, the newest first."""
    items = list(Client().scales(limit=50))
    if as_json:
        print_json({"items": items, "next": None})
        return
    rows = [
        (
            short_id(one["id"]),
            one["name"],
            one["kind"],
            one["endpoint"],
            one["state"],
            time_ago(one["created"]),
            one["message"],
        )
        for one in items
    ]
    print_table(("SCALE", "NAME", "KIND", "ENDPOINT", "STATE", "BEGUN", "RESULT"), rows)


@app.command()
def cancel(
    scale: Annotated[str, typer.Argument(metavar="SCALE", help="Its id, or the beginning of it.")],
    as_json: Json = False,
) -> None:
    """End the probes of a scale."""
    _tell(Client().cancel_scale(scale), as_json=as_json)


def _follow(client: Client, scale: dict[str, Any], *, as_json: bool) -> None:
    told: set[str] = set()

    def heard(now: dict[str, Any]) -> None:
        for line in progress_lines(now):
            if line not in told:
                told.add(line)
                say(line)

    ended = client.wait_scale(scale["id"], heard)
    _tell(ended, as_json=as_json)
    if ended["state"] != "done":
        raise typer.Exit(NOT_DONE)


def _tell(scale: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(scale)
        return
    for line in scale_lines(scale):
        print(line)


def _newest(client: Client) -> dict[str, Any]:
    for found in client.scales(limit=1):
        return found
    raise BadRequest(
        "There is no scale yet", "Begin one: diamond scale start diamond.yaml --nodes 1,2,4"
    )


def _sizes(text: str | None) -> list[int] | None:
    if text is None:
        return None
    try:
        return [int(one) for one in text.split(",")]
    except ValueError:
        raise BadRequest(
            f"{text!r} are no numbers of nodes", "Write them with commas: --nodes 1,2,4"
        ) from None
