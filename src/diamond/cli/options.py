"""Options and arguments that several commands share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from diamond.core.errors import BadRequest, DiamondError
from diamond.core.task import State


def complete_task(incomplete: str) -> Iterator[tuple[str, str]]:
    """Ids of recent tasks, for the shell; silent when there is no service."""
    from diamond.sdk.client import Client

    try:
        for task in Client().tasks(limit=50):
            if task.id.startswith(incomplete):
                yield task.id, f"{task.name}, {task.state}"
    except DiamondError:
        return


def complete_endpoint(incomplete: str) -> Iterator[tuple[str, str]]:
    from diamond.sdk.client import Client

    try:
        for endpoint in Client().endpoints():
            if endpoint.name.startswith(incomplete):
                yield endpoint.name, endpoint.state
    except DiamondError:
        return


Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
TaskId = Annotated[
    str,
    typer.Argument(
        metavar="TASK", help="A task id, job id, or its beginning.", autocompletion=complete_task
    ),
]
EndpointName = Annotated[
    str, typer.Argument(metavar="NAME", help="The endpoint.", autocompletion=complete_endpoint)
]
On = Annotated[
    str,
    typer.Option(
        "--on", metavar="ENDPOINT", help="The endpoint.", autocompletion=complete_endpoint
    ),
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do it without asking.")]

STATE_WORDS = [state.value for state in State]
States = Annotated[
    list[str] | None,
    typer.Option("--state", help=f"One of {', '.join(STATE_WORDS)}; repeatable."),
]
OnEndpoint = Annotated[str, typer.Option("--endpoint", "--on", autocompletion=complete_endpoint)]
PartOfName = Annotated[str, typer.Option("--name", help="Part of the name.")]
SearchWords = Annotated[
    str,
    typer.Option("--search", help="Words in name, endpoint, node, reason or message; or an id."),
]


def check_states(states: list[str] | None) -> None:
    for word in states or []:
        if word not in STATE_WORDS:
            raise BadRequest(f"{word!r} is not a state", f"States: {', '.join(STATE_WORDS)}")
