"""`diamond cancel`, `retry` and `resume`: some tasks by name, or all that match."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from diamond.cli.format import short_id
from diamond.cli.offline import offline_notes
from diamond.cli.options import (
    Json,
    OnEndpoint,
    PartOfName,
    SearchWords,
    States,
    TaskId,
    Yes,
    check_states,
    complete_task,
)
from diamond.cli.output import error_json, plural, print_error, print_json, say
from diamond.core.errors import BadRequest, DiamondError
from diamond.sdk.bulk import BulkAction
from diamond.sdk.client import Client
from diamond.sdk.models import Task

app = typer.Typer(rich_markup_mode=None)
Named = Annotated[
    list[str] | None, typer.Argument(metavar="[TASK...]", autocompletion=complete_task)
]
Everything = Annotated[
    bool, typer.Option("--all", "-a", help="All that match; without --yes, only say how many.")
]


@app.command()
def cancel(
    tasks: Named = None,
    everything: Everything = False,
    state: States = None,
    endpoint: OnEndpoint = "",
    name: PartOfName = "",
    search: SearchWords = "",
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """End tasks, whatever they are doing."""
    check_states(state)
    client = Client()
    _check_choice("cancel", tasks, everything, state or endpoint or name or search)
    if everything:
        found = client.cancel_matching(
            state=state or [], endpoint=endpoint, name=name, search=search
        )
        done = _all("cancel", "Cancelled", found, yes=yes, as_json=as_json)
    else:
        done = _each(tasks or [], client.cancel)
    _tell(done, as_json=as_json, tell=lambda ended: _tell_cancelled(client, ended))


@app.command()
def retry(
    tasks: Named = None,
    everything: Everything = False,
    state: States = None,
    endpoint: OnEndpoint = "",
    name: PartOfName = "",
    search: SearchWords = "",
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Do the same again, each as a new task of the same job."""
    check_states(state)
    client = Client()
    _check_choice("retry", tasks, everything, state or endpoint or name or search)
    if tasks and len(tasks) == 1:
        _retry_one(client, tasks[0], as_json=as_json)
        return
    if everything:
        found = client.retry_matching(
            state=state or [], endpoint=endpoint, name=name, search=search
        )
        done = _all("retry", "Started again", found, yes=yes, as_json=as_json)
    else:
        done = _each(tasks or [], client.retry)
    _tell(done, as_json=as_json, tell=_tell_retried)


Done = tuple[list[Task], list[DiamondError]]


@app.command()
def resume(
    task: TaskId,
    budget: Annotated[
        str, typer.Option("--budget", help="Up to this ceiling, such as '50 node-hours'.")
    ] = "",
    attempts: Annotated[
        int | None, typer.Option("--attempts", min=1, help="So many more before it asks again.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Let a task go on where it stopped, or one that asks for more attempts."""
    made = Client().resume(task, budget=budget, attempts=attempts)
    if as_json:
        print_json(dict(made.raw))
        return
    came_from = made.chain.get("continues")
    goes_on = f"goes on as task {made.id}" if came_from else f"({short_id(made.id)}) goes on,"
    print(f"{made.name} {goes_on} on {made.endpoint}")
    print(f"Follow it: diamond logs -f {short_id(made.id)}")


def _check_choice(act: str, tasks: list[str] | None, everything: bool, filtered: object) -> None:
    if bool(tasks) == everything:
        raise BadRequest(
            f"Which tasks shall I {act}?",
            f"Name them: diamond {act} TASK..., or take all that match: diamond {act} --all --state …",
        )
    if filtered and not everything:
        raise BadRequest("Filters choose among all tasks", f"Use: diamond {act} --all …")


def _each(tasks: list[str], act: Callable[[str], Task]) -> Done:
    done: list[Task] = []
    errors: list[DiamondError] = []
    for one in tasks:
        try:
            done.append(act(one))
        except DiamondError as error:
            errors.append(error)
    return done, errors


def _all(act: str, did: str, found: BulkAction, *, yes: bool, as_json: bool) -> Done:
    """Says how many and ends, unless it was told to go on."""
    if not yes:
        if as_json:
            print_json({"matching": found.count, "dry_run": True})
        else:
            say(
                f"{plural(found.count, 'task')} to {act}. Nothing was done: the same with --yes does it."
            )
        raise typer.Exit(0)
    outcomes = list(found.go())
    if not as_json:
        say(f"{did}: {plural(sum(one.error is None for one in outcomes), 'task')}.")
    return [one.task for one in outcomes if one.task], [one.error for one in outcomes if one.error]


def _retry_one(client: Client, task: str, *, as_json: bool) -> None:
    made = client.retry(task)
    if as_json:
        print_json(dict(made.raw))
        return
    print(f"{made.name} is now task {made.id} on {made.endpoint}")
    print(f"Follow it: diamond logs -f {short_id(made.id)}")


def _tell(done: Done, *, as_json: bool, tell: Callable[[list[Task]], None]) -> None:
    tasks, errors = done
    if as_json:
        told = {"items": [dict(task.raw) for task in tasks], "next": None}
        print_json({**told, **({"errors": [error_json(e) for e in errors]} if errors else {})})
    else:
        tell(tasks)
        for error in errors:
            print_error(error)
    raise typer.Exit(1 if errors else 0)


def _tell_retried(made: list[Task]) -> None:
    for task in made:
        print(f"{task.name} is now task {short_id(task.id)} on {task.endpoint}")


def _tell_cancelled(client: Client, ended: list[Task]) -> None:
    for task in ended:
        print(f"{short_id(task.id)} {task.name}: {_cancel_words(task)}")
    for words in offline_notes(client, [task for task in ended if not task.is_final]):
        say(f"{words} The cancel takes effect when it is back.")


def _cancel_words(task: Task) -> str:
    if task.state == "cancelled":
        return "cancelled"
    return f"had {task.state} already" if task.is_final else "being cancelled"
