"""`diamond secret`: values go to the endpoint and stay there; they are never typed as words of a command."""

from __future__ import annotations

import getpass
import sys
from typing import Annotated

import typer

from diamond.cli.options import Json, On
from diamond.cli.output import print_json, say
from diamond.core.errors import BadRequest
from diamond.sdk.client import Client

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Keep secrets on an endpoint.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="Such as HF_TOKEN.")]


@app.command(name="set")
def set_secret(name: Name, on: On, as_json: Json = False) -> None:
    """Set a secret; its value is asked for, or read from standard input."""
    client = Client()
    client.endpoint(on)
    client.set_secret(on, name, _read_value(name))
    if as_json:
        print_json({"name": name, "endpoint": on})
    else:
        say(f"{name} is set on {on}. A spec asks for it with: secrets: [{name}]")


@app.command(name="list")
def list_secrets(on: On, as_json: Json = False) -> None:
    """List the names of secrets."""
    names = Client().secrets(on)
    if as_json:
        print_json({"items": names, "next": None})
        return
    for name in names:
        print(name)
    if not names:
        say(f"No secrets on {on}. Set one: diamond secret set NAME --on {on}")


@app.command()
def remove(name: Name, on: On, as_json: Json = False) -> None:
    """Remove a secret from an endpoint."""
    Client().remove_secret(on, name)
    if as_json:
        print_json({"name": name, "endpoint": on})
    else:
        say(f"{name} is no longer on {on}.")


def _read_value(name: str) -> str:
    """A last line break is not part of a value that was piped in."""
    if sys.stdin.isatty():
        value = getpass.getpass(f"{name}: ")
    else:
        value = sys.stdin.read().removesuffix("\n").removesuffix("\r")
    if not value:
        raise BadRequest(f"No value was given for {name}", "Type it at the prompt, or pipe it in.")
    return value
