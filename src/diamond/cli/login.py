"""`diamond login` and `diamond logout`."""

from __future__ import annotations

import os
import socket
import sys
import webbrowser
from typing import Annotated

import typer

from diamond.cli.options import Json
from diamond.cli.output import print_json, say
from diamond.core.errors import BadRequest, DiamondError
from diamond.sdk.client_config import diamond_home, forget_login, read_logins, save_login
from diamond.sdk.people import People, sign_in, sign_in_here
from diamond.sdk.transport import API, Transport

app = typer.Typer(rich_markup_mode=None)


@app.command()
def login(
    url: Annotated[str, typer.Argument(metavar="URL", help="The URL of a shared Diamond service.")],
    scope: Annotated[
        list[str], typer.Option("--scope", help="read, run, manage or admin; may be repeated.")
    ] = [],  # noqa: B006
    browser: Annotated[
        bool,
        typer.Option("--browser/--no-browser", help="Use a browser on this computer."),
    ] = True,
    as_json: Json = False,
) -> None:
    """Sign in to a shared Diamond service; a web page asks you to approve this computer."""
    is_here = browser and _has_browser()

    def show(page: str, code: str) -> None:
        say(f"Open {page}\nand approve it if it shows the code {code}")
        if is_here and not webbrowser.open(page):
            say("Could not open a browser. To use one on another computer: --no-browser")

    name = f"diamond login on {socket.gethostname()}"[:80]
    start = sign_in_here if is_here else sign_in
    address = start(url, name=name, scopes=scope, show=show)
    save_login(diamond_home(), address)
    me = People(Transport(address)).me()
    if as_json:
        print_json({"url": address.url, "user": me["id"], "name": me["name"]})
    else:
        say(f"Signed in to {address.url} as {me['name']}. Commands use it until `diamond logout`.")


@app.command()
def logout(as_json: Json = False) -> None:
    """Sign out of the current service and revoke its token."""
    logins = read_logins(diamond_home())
    if logins.current is None:
        raise BadRequest(
            "You are not signed in to a shared Diamond service", "Sign in: diamond login URL"
        )
    _revoke_token(Transport(logins.current))
    forget_login(diamond_home(), logins.current.url)
    if as_json:
        print_json({"url": logins.current.url})
    else:
        say(f"Signed out of {logins.current.url}.")


def _has_browser() -> bool:
    """Whether a browser can be opened here; not over ssh, where the code is compared elsewhere."""
    has_screen = "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ
    return has_screen or (
        sys.platform in ("darwin", "win32") and "SSH_CONNECTION" not in os.environ
    )


def _revoke_token(transport: Transport) -> None:
    """Revoke this computer's token; if the service is unreachable, it stays valid until it expires."""
    try:
        transport.send("DELETE", f"{API}/tokens/this")
    except DiamondError as error:
        say(f"The token could not be revoked: {error.message}")
