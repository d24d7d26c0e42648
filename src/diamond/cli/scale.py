"""`diamond scale`: find the best node count or settings with short probe runs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from diamond.cli.format import short_id, time_ago
from diamond.cli.option_groups import option_groups
from diamond.cli.options import Json, SpecPath, TargetOptions, WaitForEnd
from diamond.cli.output import print_json, print_table, say
from diamond.cli.progress_lines import say_new_lines
from diamond.cli.scale_format import progress_lines, scale_lines
from diamond.cli.study import follow
from diamond.cli.study_format import gain_lines
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
    help="Find the best node count or settings with short probe runs.",
)
ScaleId = Annotated[
    str | None,
    typer.Argument(metavar="SCALE", help="Its id or a unique prefix; default: the newest."),
]


@dataclass(frozen=True)
class ProbeOptions:
    """What the probe runs try, and how long."""

    nodes: Annotated[
        str | None, typer.Option("--nodes", metavar="1,2,4", help="Node counts to probe.")
    ] = None
    goal: Annotated[str, typer.Option("--goal", help="soonest, cheapest, or efficiency:0.7.")] = (
        "soonest"
    )
    tune: Annotated[
        bool, typer.Option("--tune", help="Try settings on one node instead of node counts.")
    ] = False
    metric: Annotated[
        str,
        typer.Option(
            "--metric",
            metavar="NAME",
            help="With --tune: search all settings and the learning rate; this loss may not fall behind.",
        ),
    ] = ""
    within: Annotated[
        float | None,
        typer.Option("--within", help="With --metric: how much worse it may be, such as 0.05."),
    ] = None
    trials: Annotated[
        int | None, typer.Option("--trials", help="With --metric: how many are tried.")
    ] = None
    steps: Annotated[
        int | None, typer.Option("--steps", help="Steps to measure in each probe.")
    ] = None
    minutes: Annotated[int | None, typer.Option("--minutes", help="Time limit of a probe.")] = None
    batch_param: Annotated[
        str | None,
        typer.Option("--batch-param", metavar="NAME", help="The param for samples per rank."),
    ] = None
    accumulate_param: Annotated[
        str | None,
        typer.Option(
            "--accumulate-param", metavar="NAME", help="The param for batches per update."
        ),
    ] = None
    together: Annotated[bool, typer.Option("--together", help="Queue all probes at once.")] = False

    def given(self) -> dict[str, Any]:
        options = {**asdict(self), "nodes": _node_counts(self.nodes)}
        study = ("metric", "within", "trials")
        return {n: value for n, value in options.items() if value is not None and n not in study}

    def tuning(self) -> dict[str, Any]:
        """Of a study over all settings together."""
        if not self.tune or self.nodes or self.together:
            raise BadRequest("--metric is for --tune", "Leave out --nodes and --together.")
        names = (
            "metric",
            "within",
            "trials",
            "steps",
            "minutes",
            "batch_param",
            "accumulate_param",
        )
        options = {name: value for name, value in asdict(self).items() if name in names}
        return {name: value for name, value in options.items() if value is not None}


@app.command()
@option_groups
def start(
    spec: SpecPath = "diamond.yaml",
    *,
    probes: ProbeOptions,
    wait: WaitForEnd = False,
    target: TargetOptions,
    as_json: Json = False,
) -> None:
    """Measure a spec with short probe runs. With --wait the exit code is 0 if they gave a result."""
    client = Client()
    if probes.metric or probes.within is not None or probes.trials is not None:
        _tune(client, probes.tuning(), spec, target, wait=wait, as_json=as_json)
        return
    scale = client.scale(spec, probes.given(), on=target.on, set=target.settings or [], say=say)
    if wait:
        _follow(client, scale, as_json=as_json)
        return
    _print(scale, as_json=as_json)
    say(f"Follow it: diamond scale show {short_id(scale['id'])} --wait")


@app.command()
def show(
    scale: ScaleId = None,
    wait: WaitForEnd = False,
    as_json: Json = False,
) -> None:
    """Show the results of probe runs."""
    client = Client()
    chosen = client.get_scale(scale) if scale else _newest(client)
    if wait:
        _follow(client, chosen, as_json=as_json)
        return
    _print(chosen, as_json=as_json)


@app.command(name="list")
def list_scales(as_json: Json = False) -> None:
    """List scales, newest first."""
    items = list(Client().scales(limit=50))
    if as_json:
        print_json({"items": items, "next": None})
        return
    rows = [
        (
            short_id(scale["id"]),
            scale["name"],
            scale["kind"],
            scale["endpoint"],
            scale["state"],
            time_ago(scale["created"]),
            scale["message"],
        )
        for scale in items
    ]
    print_table(("SCALE", "NAME", "KIND", "ENDPOINT", "STATE", "STARTED", "RESULT"), rows)


@app.command()
def cancel(
    scale: Annotated[str, typer.Argument(metavar="SCALE", help="Its id, or a unique prefix.")],
    as_json: Json = False,
) -> None:
    """Cancel the probe runs of a scale."""
    _print(Client().cancel_scale(scale), as_json=as_json)


def _tune(
    client: Client,
    wanted: dict[str, Any],
    spec: str,
    target: TargetOptions,
    *,
    wait: bool,
    as_json: bool,
) -> None:
    study = client.tune_speed(spec, wanted, on=target.on, set=target.settings or [], say=say)
    if not wait:
        print_json(dict(study.raw)) if as_json else say(
            f"Follow it: diamond study show {short_id(study.id)} --wait"
        )
        return
    follow(study, as_json=as_json)
    if not as_json:
        for line in gain_lines(study):
            print(line)


def _follow(client: Client, scale: dict[str, Any], *, as_json: bool) -> None:
    ended = client.wait_scale(scale["id"], say_new_lines(progress_lines))
    _print(ended, as_json=as_json)
    if ended["state"] != "done":
        raise typer.Exit(NOT_DONE)


def _print(scale: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(scale)
        return
    for line in scale_lines(scale):
        print(line)


def _newest(client: Client) -> dict[str, Any]:
    for scale in client.scales(limit=1):
        return scale
    raise BadRequest(
        "There is no scale yet", "Start one: diamond scale start diamond.yaml --nodes 1,2,4"
    )


def _node_counts(text: str | None) -> list[int] | None:
    if text is None:
        return None
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise BadRequest(
            f"{text!r} is not a list of node counts", "Separate them with commas: --nodes 1,2,4"
        ) from None
