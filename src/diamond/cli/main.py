"""The command `diamond`. Each command's module is imported only when it is called."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import typer
from typer.core import TyperGroup

from diamond import __version__
from diamond.cli.output import print_error
from diamond.core.errors import DiamondError

COMMANDS = {
    "up": "starting",
    "open": "starting",
    "run": "running",
    "tasks": "tasks",
    "show": "showing",
    "logs": "logs",
    "cancel": "tasks",
    "retry": "tasks",
    "files": "files",
    "get": "files",
    "clean": "cleaning",
    "endpoint": "endpoints",
    "secret": "secrets",
    "token": "tokens",
    "doctor": "doctor",
    "report": "files",
    "lab": "lab",
}
"""Which module of this package holds a command or group; the order is that of `--help`."""


class LazyGroup(TyperGroup):
    """`diamond tasks` imports tasks.py alone: start-up is part of every command."""

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
    """Run a command; an error is told in words, and ends with 1 (2 for a wrong call)."""
    try:
        typer.main.get_command(app).main(prog_name="diamond")
    except DiamondError as error:
        print_error(error)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)


if __name__ == "__main__":
    main()
