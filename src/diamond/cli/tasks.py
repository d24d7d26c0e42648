"""`diamond tasks`, `cancel` and `retry`."""

from __future__ import annotations

from typing import Annotated

import typer

from diamond.cli.options import Json, TaskId, complete_endpoint, complete_task
from diamond.cli.output import error_json, print_error, print_json, print_table, say
from diamond.cli.presence import away_notes
from diamond.cli.words import age, short, why
from diamond.core.errors import BadRequest, DiamondError
from diamond.core.task import State
from diamond.sdk.client import Client
from diamond.sdk.models import Task

app = typer.Typer(rich_markup_mode=None)
STATES = [state.value for state in State]
KINDS = ("run", "build", "transfer")


@app.command()
def tasks(
    state: Annotated[
        list[str] | None, typer.Option("--state", help=f"One of {', '.join(STATES)}; repeatable.")
    ] = None,
    endpoint: Annotated[
        str, typer.Option("--endpoint", "--on", autocompletion=complete_endpoint)
    ] = "",
    name: Annotated[str, typer.Option("--name", help="Part of the name.")] = "",
    search: Annotated[
        str,
        typer.Option(
            "--search", help="Words in name, endpoint, node, reason or message; or an id."
        ),
    ] = "",
    kind: Annotated[str, typer.Option("--kind", help="run, build or transfer.")] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="At most so many.")] = 20,
    everything: Annotated[bool, typer.Option("--all", "-a", help="All, without a limit.")] = False,
    cursor: Annotated[
        str, typer.Option("--cursor", help="Go on from the `next` of an earlier list.")
    ] = "",
    as_json: Json = False,
) -> None:
    """List tasks, the newest first."""
    for word in state or []:
        if word not in STATES:
            raise BadRequest(f"{word!r} is not a state", f"States: {', '.join(STATES)}")
    if kind and kind not in KINDS:
        raise BadRequest(f"{kind!r} is not a kind of task", f"Kinds: {', '.join(KINDS)}")
    client = Client()
    found = client.tasks(
        state=state or [], endpoint=endpoint, name=name, search=search, kind=kind, cursor=cursor,
        limit=None if everything else limit,
    )  # fmt: skip
    shown = list(found)
    if as_json:
        print_json({"items": [dict(task.raw) for task in shown], "next": found.next})
        return
    _print(shown, more=found.next is not None)
    for words in away_notes(client, [task for task in shown if not task.is_final]):
        say(words)


@app.command()
def cancel(
    tasks: Annotated[list[str], typer.Argument(metavar="TASK...", autocompletion=complete_task)],
    as_json: Json = False,
) -> None:
    """End tasks, whatever they are doing."""
    client = Client()
    ended: list[Task] = []
    errors: list[DiamondError] = []
    for one in tasks:
        try:
            ended.append(client.cancel(one))
        except DiamondError as error:
            errors.append(error)
    if as_json:
        told = {"items": [dict(task.raw) for task in ended], "next": None}
        print_json({**told, **({"errors": [error_json(e) for e in errors]} if errors else {})})
    else:
        _tell_cancelled(client, ended)
        for one_error in errors:
            print_error(one_error)
    raise typer.Exit(1 if errors else 0)


@app.command()
def retry(task: TaskId, as_json: Json = False) -> None:
    """Do the same again, as a new task of the same job."""
    made = Client().retry(task)
    if as_json:
        print_json(dict(made.raw))
        return
    print(f"{made.name} is now task {made.id} on {made.endpoint}")
    print(f"Follow it: diamond logs -f {short(made.id)}")


def _print(found: list[Task], *, more: bool) -> None:
    if not found:
        say("No tasks. Start one: diamond run -- python train.py")
        return
    rows = [
        (short(task.id), task.name, task.state, task.endpoint, age(task.created), why(task))
        for task in found
    ]
    print_table(("TASK", "NAME", "STATE", "ENDPOINT", "CREATED", "WHY"), rows)
    if more:
        say(f"The newest {len(found)}; more with --limit or --all.")


def _tell_cancelled(client: Client, ended: list[Task]) -> None:
    for task in ended:
        print(f"{short(task.id)} {task.name}: {_cancel_words(task)}")
    for words in away_notes(client, [task for task in ended if not task.is_final]):
        say(f"{words} The cancel takes effect when it is back.")


def _cancel_words(task: Task) -> str:
    if task.state == "cancelled":
        return "cancelled"
    return f"had {task.state}" if task.is_final else "being cancelled"
