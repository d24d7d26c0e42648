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
    help="Your key for machines that require signed jobs.",
)


@app.command()
def create(
    passphrase: Annotated[
        bool, typer.Option("--passphrase", help="Protect it with a passphrase, asked at each use.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Create a key; jobs that you submit from here are signed from then on."""
    _print(make_key(passphrase=passphrase), as_json=as_json)


@app.command()
def show(as_json: Json = False) -> None:
    """Print the public key for a machine's policy."""
    _print(public_key(), as_json=as_json)


def _print(key: str, *, as_json: bool) -> None:
    if as_json:
        print_json({"key": key, "file": str(key_file())})
        return
    print(f'signers = ["{key}"]')
    say(
        "Put this line into policy.toml in the agent's folder, together with: require_signed = true"
    )
