"""`diamond shell`: a shell inside a running task, over the ssh connection by which you reach its endpoint."""

from __future__ import annotations

import os
import shlex
import socket
import subprocess
import sys
from typing import Annotated

import typer

from diamond.cli.local_processes import agent_environment
from diamond.cli.options import Json, TaskId
from diamond.cli.output import print_json
from diamond.cli.saved_links import SavedLink, load_link
from diamond.cli.ssh_bootstrap import NO_AGENT, agent_line, terminal_command
from diamond.core.errors import BadRequest, Conflict, EndpointAway, NotFound
from diamond.core.task import State
from diamond.sdk.client import Client
from diamond.sdk.client_config import diamond_home
from diamond.sdk.models import Endpoint, Task

app = typer.Typer(rich_markup_mode=None)
SSH_FAILED = 255
"""The exit code of ssh itself, when it cannot connect."""


@app.command()
def shell(
    task: TaskId,
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="[-- COMMAND...]", help="Run this command instead of a shell."),
    ] = None,
    node: Annotated[
        str, typer.Option("--node", help="On this node; default: the first one of the job.")
    ] = "",
    rank: Annotated[
        int | None, typer.Option("--rank", min=0, help="On the node of this rank.")
    ] = None,
    ssh: Annotated[
        str,
        typer.Option("--ssh", metavar="HOST", help="Reach the endpoint by ssh as HOST."),
    ] = "",
    as_json: Json = False,
) -> None:
    """Open a shell inside a running task: on its node, in its image, with its variables.

    With --json, only print the command that would be run here.
    """
    if node and rank is not None:
        raise BadRequest("--node and --rank are both given", "Choose a node by one of them.")
    client = Client()
    shown = _running(client.task(task))
    terminal_call, environment = _shell_command(
        client.endpoint(shown.endpoint), _arguments(shown.id, node, rank, command or []), ssh
    )
    if as_json:
        print_json({"task": shown.id, "endpoint": shown.endpoint, "command": terminal_call})
        return
    code = _call(terminal_call, environment)
    if terminal_call[0] != sys.executable and code in (SSH_FAILED, NO_AGENT):
        raise EndpointAway(
            f"{shown.endpoint} could not be reached by ssh (exit code {code})",
            f"Test the connection: {shlex.join(terminal_call[: terminal_call.index('--') + 2])}",
        )
    raise typer.Exit(code)


def _running(task: Task) -> Task:
    if task.is_final:
        raise Conflict(
            f"{task.name} ({task.id}) has ended: {task.state}",
            f"A shell needs a running task. Start it again: diamond retry {task.id}",
        )
    if task.state != State.RUNNING:
        raise Conflict(
            f"{task.name} ({task.id}) is not running yet: {task.state}",
            f"Wait for its start: diamond logs --follow {task.id}",
        )
    return task


def _arguments(task: str, node: str, rank: int | None, command: list[str]) -> list[str]:
    where = ["--node", node] if node else []
    where += ["--rank", str(rank)] if rank is not None else []
    return ["shell", *where, task, *(["--", *command] if command else [])]


def _shell_command(
    endpoint: Endpoint, arguments: list[str], ssh_host: str
) -> tuple[list[str], dict[str, str] | None]:
    """What to run here, and its environment if it differs from ours."""
    if not ssh_host and _is_here(endpoint):
        act = [sys.executable, "-m", "diamond.agent", *arguments]
        return act, agent_environment(diamond_home(), endpoint.name)
    link = _link(endpoint, ssh_host)
    line = agent_line(endpoint.id, arguments, python=link.python)
    command = terminal_command(
        link.ssh_host,
        line,
        ssh=os.environ.get("DIAMOND_SSH") or "ssh",
        config=link.ssh_config,
        options=link.ssh_options,
        terminal=sys.stdin.isatty() and sys.stdout.isatty(),
    )
    return command, None


def _is_here(endpoint: Endpoint) -> bool:
    """Whether `diamond up` or `diamond endpoint start` runs its agent on this machine."""
    folder = diamond_home() / "agents" / endpoint.name
    return endpoint.host == socket.gethostname() and folder.is_dir()


def _link(endpoint: Endpoint, ssh_host: str) -> SavedLink:
    """The saved connection, or plain ssh to the host given: where to sign in is never the service's word."""
    if ssh_host:
        return SavedLink(endpoint.name, endpoint.id, "", "", ssh_host=ssh_host)
    try:
        return load_link(diamond_home(), endpoint.name)
    except NotFound:
        raise BadRequest(
            f"This machine has no ssh connection to {endpoint.name}",
            f"If you can sign in to {endpoint.host or 'it'} by ssh, add --ssh HOST.",
        ) from None


def _call(command: list[str], environment: dict[str, str] | None) -> int:
    try:
        return subprocess.call(command, env=environment)
    except OSError as error:
        raise EndpointAway(
            f"Could not start {command[0]}: {error.strerror}",
            "Install an ssh client, or set DIAMOND_SSH to yours.",
        ) from None
