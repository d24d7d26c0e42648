"""`diamond key`: a signing key that never leaves this machine."""

from __future__ import annotations

from typing import Annotated

import typer

from diamond.cli.options import Json
from diamond.cli.output import print_json, say
from diamond.sdk.signing_key import key_file, make_key, public_key

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Your key for machines that take signed specs.",
)


@app.command()
def create(
    passphrase: Annotated[
        bool, typer.Option("--passphrase", help="Ask for one, now and at each use.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Make a key; from then on what you run from here is signed."""
    _print(make_key(passphrase=passphrase), as_json=as_json)


@app.command()
def show(as_json: Json = False) -> None:
    """Print the public part, for the policy of a machine."""
    _print(public_key(), as_json=as_json)


def _print(key: str, *, as_json: bool) -> None:
    if as_json:
        print_json({"key": key, "file": str(key_file())})
        return
    print(f'signers = ["{key}"]')
    say("On the machine, into policy.toml of the agent's folder, with: require_signed = true")
