"""`diamond token`: for scripts and other machines."""

from __future__ import annotations

from typing import Annotated

import typer

from diamond.cli.format import time_ago, timestamp
from diamond.cli.options import Json
from diamond.cli.output import print_json, print_table, say
from diamond.sdk.client import Client

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Tokens for scripts and other machines."
)


@app.command()
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the token is for.")],
    days: Annotated[int | None, typer.Option("--days", min=1, help="How long it is valid.")] = None,
    scope: Annotated[
        list[str], typer.Option("--scope", help="read, run, manage or admin; may be repeated.")
    ] = [],  # noqa: B006
    as_json: Json = False,
) -> None:
    """Create a token; it is shown only once."""
    created = Client().create_token(name, days, scope)
    if as_json:
        print_json(created)
        return
    print(created["token"])
    say("It is not shown again. Use it with DIAMOND_URL and DIAMOND_TOKEN.")


@app.command(name="list")
def list_tokens(as_json: Json = False) -> None:
    """List tokens, without their secrets."""
    items = Client().tokens()
    if as_json:
        print_json({"items": items, "next": None})
        return
    rows = [
        (
            token["id"],
            token["name"],
            " ".join(token.get("scopes", [])),
            time_ago(token.get("created")),
            timestamp(token.get("expires")),
            time_ago(token.get("used")),
        )
        for token in items
    ]
    print_table(("TOKEN", "NAME", "SCOPES", "CREATED", "EXPIRES", "LAST USED"), rows)


@app.command()
def revoke(
    token: Annotated[str, typer.Argument(metavar="TOKEN", help="Its id.")], as_json: Json = False
) -> None:
    """Revoke a token immediately."""
    Client().revoke_token(token)
    if as_json:
        print_json({"id": token})
    else:
        say(f"{token} is revoked.")
