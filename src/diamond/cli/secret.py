"""`diamond secret`: values are stored on the endpoint and never appear on a command line."""

from __future__ import annotations

import getpass
import sys
from typing import Annotated

import typer

from diamond.cli.options import Json, On
from diamond.cli.output import print_json, say
from diamond.core.errors import BadRequest
from diamond.sdk.client import Client

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Secrets stored on an endpoint."
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="Such as HF_TOKEN.")]


@app.command(name="set")
def set_secret(name: Name, on: On, as_json: Json = False) -> None:
    """Set a secret; the value is read from a prompt or from standard input."""
    client = Client()
    client.endpoint(on)
    client.set_secret(on, name, _read_value(name))
    if as_json:
        print_json({"name": name, "endpoint": on})
    else:
        say(f"{name} is set on {on}. Use it in a spec: secrets: [{name}]")


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
        say(f"{name} was removed from {on}.")


def _read_value(name: str) -> str:
    """The final line break of piped input is not part of the value."""
    if sys.stdin.isatty():
        value = getpass.getpass(f"{name}: ")
    else:
        value = sys.stdin.read().removesuffix("\n").removesuffix("\r")
    if not value:
        raise BadRequest(f"No value was given for {name}", "Type it at the prompt, or pipe it in.")
    return value
