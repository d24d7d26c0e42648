"""The `diamond` command. The module of a subcommand is imported only when it is called."""

from __future__ import annotations

import importlib
import os
import shlex
import sys
import time
from typing import Any

import typer
from typer.core import TyperGroup

from diamond import __version__
from diamond.cli.output import print_error
from diamond.core.errors import DiamondError
from diamond.sdk.client_config import diamond_home

COMMANDS = {
    "up": "up",
    "open": "up",
    "run": "run",
    "plan": "plan",
    "pipeline": "pipeline",
    "pilot": "pilot",
    "scale": "scale",
    "study": "study",
    "image": "image",
    "data": "data",
    "model": "model",
    "recipe": "recipe",
    "tasks": "tasks",
    "runs": "runs",
    "compare": "runs",
    "import": "runs",
    "lineage": "lineage",
    "reproduce": "reproduce",
    "show": "show",
    "logs": "logs",
    "shell": "shell",
    "cancel": "task_actions",
    "retry": "task_actions",
    "fix": "task_actions",
    "resume": "task_actions",
    "tag": "tag",
    "files": "files",
    "get": "files",
    "clean": "clean",
    "storage": "storage",
    "record": "record",
    "endpoint": "endpoint",
    "secret": "secret",
    "login": "login",
    "logout": "login",
    "project": "project",
    "course": "course",
    "share": "share",
    "token": "token",
    "key": "key",
    "admin": "admin",
    "doctor": "doctor",
    "report": "files",
    "lab": "lab",
}
"""The module of this package for each command or group, in the order of `--help`."""


class LazyGroup(TyperGroup):
    """`diamond tasks` imports only tasks.py: start-up time is part of every command."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        module_name = COMMANDS.get(cmd_name)
        if module_name is None:
            return None
        module = importlib.import_module(f"diamond.cli.{module_name}")
        group = typer.main.get_group(module.app)
        return group.commands.get(cmd_name, group)


app = typer.Typer(
    cls=LazyGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"diamond {__version__}")
        raise typer.Exit


@app.callback()
def diamond(
    version: bool = typer.Option(
        False, "--version", help="Print the version.", callback=_print_version, is_eager=True
    ),
) -> None:
    """Train any model with any dataset on any machine."""


def main() -> None:
    """Run a command. Errors are printed without a traceback and exit with 1 (2 for wrong usage)."""
    try:
        code = _run()
        sys.stdout.flush()
    except BrokenPipeError:
        code = _BROKEN_PIPE
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(code)


_BROKEN_PIPE = 141
"""The exit code that shells show for a program ended by SIGPIPE, as in `diamond tasks | head -1`."""


def _run() -> int | str | None:
    try:
        typer.main.get_command(app).main(prog_name="diamond")
    except SystemExit as end:
        return end.code
    except DiamondError as error:
        print_error(error, as_json=_wants_json(sys.argv))
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        raise
    except Exception as error:
        if os.environ.get("DIAMOND_DEBUG") == "1":
            raise
        print_error(_internal_error(error), as_json=_wants_json(sys.argv))
        return 1
    return 0


def _wants_json(arguments: list[str]) -> bool:
    """Arguments after `--` belong to the user's command."""
    own = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in own


def _internal_error(error: Exception) -> DiamondError:
    """An error in Diamond itself: one line for the user, the traceback in a file."""
    import traceback

    message = f"Internal error in Diamond: {type(error).__name__}: {error}".splitlines()[0]
    step = "`diamond doctor` checks your set-up. DIAMOND_DEBUG=1 prints the traceback here."
    log = diamond_home() / "cli.log"
    try:
        with log.open("a") as file:
            file.write(time.strftime("%Y-%m-%d %H:%M:%S ") + shlex.join(sys.argv) + "\n")
            traceback.print_exception(error, file=file)
    except OSError:
        return DiamondError(message, step)
    return DiamondError(message, f"The traceback is in {log}. {step}")


if __name__ == "__main__":
    main()
