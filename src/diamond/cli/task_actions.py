"""`diamond cancel`, `retry` and `resume`: single tasks, or all that match a filter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import typer

from diamond.cli.endpoint_status import offline_notes
from diamond.cli.format import short_id
from diamond.cli.option_groups import option_groups
from diamond.cli.options import Json, TaskFilter, TaskId, Yes, complete_task
from diamond.cli.output import error_json, plural, print_error, print_json, say
from diamond.cli.task_status import resume_warning
from diamond.core.errors import BadRequest, DiamondError
from diamond.sdk.bulk import BulkAction
from diamond.sdk.client import Client
from diamond.sdk.models import Task

app = typer.Typer(rich_markup_mode=None)
TaskIds = Annotated[
    list[str] | None, typer.Argument(metavar="[TASK...]", autocompletion=complete_task)
]
AllMatching = Annotated[
    bool, typer.Option("--all", "-a", help="All that match; without --yes, only count them.")
]


@dataclass(frozen=True)
class Results:
    tasks: list[Task]
    errors: list[DiamondError]


@app.command()
@option_groups
def cancel(
    tasks: TaskIds = None,
    everything: AllMatching = False,
    *,
    which: TaskFilter,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Cancel tasks, whatever they are doing."""
    client = Client()
    _check_selection("cancel", tasks, everything, which)
    if everything:
        matching = client.cancel_matching(
            state=which.state or [],
            endpoint=which.endpoint,
            name=which.name,
            search=which.search,
            tag=which.tag,
        )
        results = _run_bulk("cancel", "Cancelled", matching, yes=yes, as_json=as_json)
    else:
        results = _for_each(tasks or [], client.cancel)
    _finish(results, as_json=as_json, show=lambda ended: _print_cancelled(client, ended))


@app.command()
@option_groups
def retry(
    tasks: TaskIds = None,
    everything: AllMatching = False,
    *,
    which: TaskFilter,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Run tasks again, each as a new task of the same job."""
    client = Client()
    _check_selection("retry", tasks, everything, which)
    if tasks and len(tasks) == 1:
        _retry_one(client, tasks[0], as_json=as_json)
        return
    if everything:
        matching = client.retry_matching(
            state=which.state or [],
            endpoint=which.endpoint,
            name=which.name,
            search=which.search,
            tag=which.tag,
        )
        results = _run_bulk("retry", "Started again", matching, yes=yes, as_json=as_json)
    else:
        results = _for_each(tasks or [], client.retry)
    _finish(results, as_json=as_json, show=_print_retried)


@app.command()
def fix(task: TaskId, as_json: Json = False) -> None:
    """Run a failed task again with the change that `diamond show` offers for it."""
    client = Client()
    known = client.diagnosis(task)
    new = client.fix(task)
    if as_json:
        print_json(dict(new.raw))
        return
    offered = known.get("fix") or {}
    for field, value in (offered.get("changes") or {}).items():
        print(f"Changed: {field} = {value}")
    print(f"{new.name} is now task {new.id} on {new.endpoint}")
    print(f"Follow it: diamond logs -f {short_id(new.id)}")


@app.command()
def resume(
    task: TaskId,
    budget: Annotated[
        str, typer.Option("--budget", help="Up to this limit, such as '50 node-hours'.")
    ] = "",
    attempts: Annotated[
        int | None, typer.Option("--attempts", min=1, help="This many more before it asks again.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Continue a task where it stopped, or allow more attempts to one that asks."""
    client = Client()
    warning = resume_warning(client.task(task))
    resumed = client.resume(task, budget=budget, attempts=attempts)
    if as_json:
        print_json(dict(resumed.raw))
        return
    is_new = resumed.chain.get("continues")
    continues = (
        f"continues as task {resumed.id}" if is_new else f"({short_id(resumed.id)}) continues"
    )
    print(f"{resumed.name} {continues} on {resumed.endpoint}")
    if warning:
        say(warning)
    print(f"Follow it: diamond logs -f {short_id(resumed.id)}")


def _check_selection(
    action: str, tasks: list[str] | None, everything: bool, which: TaskFilter
) -> None:
    if bool(tasks) == everything:
        raise BadRequest(
            f"Which tasks do you want to {action}?",
            f"Name them: diamond {action} TASK..., or select all that match: diamond {action} --all --state …",
        )
    if which.is_given and not everything:
        raise BadRequest("Filters only work together with --all", f"Use: diamond {action} --all …")


def _for_each(tasks: list[str], act: Callable[[str], Task]) -> Results:
    results = Results([], [])
    for task in tasks:
        try:
            results.tasks.append(act(task))
        except DiamondError as error:
            results.errors.append(error)
    return results


def _run_bulk(action: str, done: str, matching: BulkAction, *, yes: bool, as_json: bool) -> Results:
    """Without `yes`, only print the number of tasks and exit."""
    if not yes:
        if as_json:
            print_json({"matching": matching.count, "dry_run": True})
        else:
            say(
                f"{plural(matching.count, 'task')} to {action}. "
                "Nothing was changed: add --yes to do it."
            )
        raise typer.Exit(0)
    outcomes = list(matching.go())
    if not as_json:
        say(f"{done}: {plural(sum(outcome.error is None for outcome in outcomes), 'task')}.")
    return Results(
        [outcome.task for outcome in outcomes if outcome.task],
        [outcome.error for outcome in outcomes if outcome.error],
    )


def _retry_one(client: Client, task: str, *, as_json: bool) -> None:
    new = client.retry(task)
    if as_json:
        print_json(dict(new.raw))
        return
    print(f"{new.name} is now task {new.id} on {new.endpoint}")
    print(f"Follow it: diamond logs -f {short_id(new.id)}")


def _finish(results: Results, *, as_json: bool, show: Callable[[list[Task]], None]) -> None:
    errors = results.errors
    if as_json:
        page = {"items": [dict(task.raw) for task in results.tasks], "next": None}
        print_json({**page, **({"errors": [error_json(e) for e in errors]} if errors else {})})
    else:
        show(results.tasks)
        for error in errors:
            print_error(error)
    raise typer.Exit(1 if errors else 0)


def _print_retried(tasks: list[Task]) -> None:
    for task in tasks:
        print(f"{task.name} is now task {short_id(task.id)} on {task.endpoint}")


def _print_cancelled(client: Client, tasks: list[Task]) -> None:
    for task in tasks:
        print(f"{short_id(task.id)} {task.name}: {_cancel_result(task)}")
    for note in offline_notes(client, [task for task in tasks if not task.is_final]):
        say(f"{note} The cancel takes effect once it is back.")


def _cancel_result(task: Task) -> str:
    if task.state == "cancelled":
        return "cancelled"
    return f"had already {task.state}" if task.is_final else "being cancelled"
