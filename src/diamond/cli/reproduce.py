"""`diamond reproduce`: run a task again, and say how the second run compares."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from diamond.cli.format import short_id, timestamp
from diamond.cli.options import Json, On, WaitForEnd, complete_task
from diamond.cli.output import print_json, print_table, say
from diamond.cli.verdict_format import WORDS, print_verdict
from diamond.core.errors import NotFound
from diamond.sdk.client import Client

app = typer.Typer(rich_markup_mode=None)
EXIT_DIFFERENT = 3


@app.command()
def reproduce(
    task: Annotated[
        str,
        typer.Argument(
            metavar="TASK|CRATE",
            help="A task, or a crate that was exported with its code: a .zip file.",
            autocompletion=complete_task,
        ),
    ],
    on: On = "",
    account: Annotated[str, typer.Option("--account", help="The account that pays there.")] = "",
    tolerance: Annotated[
        list[str] | None,
        typer.Option("--tolerance", "-t", help="Such as 0.01, 1% or loss=0.01; repeatable."),
    ] = None,
    project: Annotated[str, typer.Option("--project", help="Share the second run.")] = "",
    wait: WaitForEnd = False,
    show: Annotated[
        bool, typer.Option("--show", help="Only show earlier verdicts; run nothing.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Run a task again with the same code, image, data and parameters, and compare the results."""
    client = Client()
    if task.endswith(".zip"):
        _reproduce_crate(client, Path(task), on, account, tolerance or [], as_json=as_json)
        return
    if show:
        _show(client, task, as_json=as_json)
        return
    made = client.reproduce(
        task, on=on, account=account, tolerance=tolerance or [], project=project
    )
    if not wait:
        if as_json:
            print_json(made)
        else:
            say(f"{short_id(made['task'])} runs it again on {made['endpoint']}.")
            say(f"See the verdict when it has ended: diamond reproduce {short_id(task)} --show")
        return
    client.wait(made["task"])
    verdict = client.verdict(made["task"])
    if as_json:
        print_json({**made, "state": "judged", "verdict": verdict})
    else:
        print_verdict(verdict)
    if verdict["level"] not in ("identical", "within-tolerance"):
        raise typer.Exit(EXIT_DIFFERENT)


def _reproduce_crate(
    client: Client, crate: Path, on: str, account: str, tolerance: list[str], *, as_json: bool
) -> None:
    """Always to its end: the crate is on this side, and so is the comparison."""
    from diamond.sdk.crate_runs import reproduce_crate

    if not crate.is_file():
        raise NotFound(f"There is no file {crate}", "Give a task, or a crate: a .zip file.")
    found = reproduce_crate(client, crate, on=on, account=account, tolerance=tolerance)
    if as_json:
        print_json(found)
    else:
        print_verdict(found["verdict"])
    if found["verdict"]["level"] not in ("identical", "within-tolerance"):
        raise typer.Exit(EXIT_DIFFERENT)


def _show(client: Client, task: str, *, as_json: bool) -> None:
    found = client.reproductions(task)
    if as_json:
        print_json(found)
        return
    own = found["reproduces"]
    if own is not None:
        print(f"It reproduces {short_id(own['original'])}.")
        if own["verdict"]:
            print_verdict(own["verdict"])
    if not found["items"]:
        if own is None:
            say("It was never reproduced. Run it again: diamond reproduce TASK")
        return
    rows = [
        (
            short_id(item["task"]),
            item["endpoint"],
            timestamp(item["judged"] or item["created"]),
            WORDS[item["verdict"]["level"]] if item["verdict"] else "running",
            item["verdict"]["sentence"] if item["verdict"] else "",
        )
        for item in found["items"]
    ]
    print_table(("TASK", "ENDPOINT", "WHEN", "VERDICT", "WHY"), rows)
    newest = next((item["verdict"] for item in found["items"] if item["verdict"]), None)
    for cause in (newest or {}).get("causes", []):
        print(f"  {cause['text']}")
