"""Options and arguments that several commands share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import typer

from diamond.core.errors import BadRequest, DiamondError
from diamond.core.task import State


def complete_task(incomplete: str) -> Iterator[tuple[str, str]]:
    """Ids of recent tasks for shell completion; nothing without a service."""
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
        metavar="TASK", help="A task id, job id, or a unique prefix.", autocompletion=complete_task
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
WaitForEnd = Annotated[bool, typer.Option("--wait", "-w", help="Wait until it has ended.")]
SpecPath = Annotated[str, typer.Argument(metavar="SPEC", help="A diamond.yaml, or its folder.")]

STATES = [state.value for state in State]


@dataclass(frozen=True)
class TargetOptions:
    """Where a spec runs, and what is changed in it."""

    on: Annotated[
        str | None,
        typer.Option(
            "--on", help="Endpoint, or endpoint/partition.", autocompletion=complete_endpoint
        ),
    ] = None
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Set a parameter or a field."),
    ] = None


@dataclass(frozen=True)
class TaskFilter:
    """Which tasks a command is about."""

    state: Annotated[
        list[str] | None,
        typer.Option("--state", help=f"One of {', '.join(STATES)}; repeatable."),
    ] = None
    endpoint: Annotated[
        str, typer.Option("--endpoint", "--on", autocompletion=complete_endpoint)
    ] = ""
    name: Annotated[str, typer.Option("--name", help="Part of the name.")] = ""
    search: Annotated[
        str,
        typer.Option("--search", help="Text in name, endpoint, node, reason or message; or an id."),
    ] = ""
    tag: Annotated[str, typer.Option("--tag", help="Only tasks with this tag.")] = ""

    def __post_init__(self) -> None:
        for state in self.state or []:
            if state not in STATES:
                raise BadRequest(f"{state!r} is not a state", f"States: {', '.join(STATES)}")

    @property
    def is_given(self) -> bool:
        return bool(self.state or self.endpoint or self.name or self.search or self.tag)
