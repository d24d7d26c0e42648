"""`diamond up` and `diamond open`."""

from __future__ import annotations

import os
import signal
import sys
import threading
import webbrowser
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from diamond.cli.format import short_id
from diamond.cli.local_processes import (
    choose_port,
    ensure_home,
    own_command,
    read_config,
    running_client,
    wait_for_service,
)
from diamond.cli.options import Json
from diamond.cli.output import print_json, say
from diamond.cli.supervisor import Supervisor
from diamond.cli.wait import wait_for_job
from diamond.core.errors import DiamondError
from diamond.sdk.client import Client, read_spec

app = typer.Typer(rich_markup_mode=None)


@app.command()
def up(
    port: Annotated[int | None, typer.Option("--port", help="Default: 8642.")] = None,
    config: Annotated[
        Path | None,
        typer.Option(
            "--config",
            help="A TOML file: port, host, database_url, public_url, certificate, proxies.",
        ),
    ] = None,
    agent: Annotated[
        bool, typer.Option("--agent/--no-agent", help="Use this machine as an endpoint too.")
    ] = True,
    first: Annotated[
        str | None,
        typer.Option("--first", metavar="SPEC", help="Run this spec as soon as it is up."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Start Diamond on this machine until Ctrl-C; running jobs continue after that."""
    home = ensure_home()
    settings = read_config(config)
    if port is not None:
        settings["port"] = port
    client = running_client(home)
    if client is not None:
        say(f"Diamond is already up at {client.url}")
        _print_address(client, as_json=as_json)
        if first:
            _run_first(client, first)
        return
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, _interrupt)
    choose_port(settings)
    supervisor = Supervisor(home, settings)
    try:
        client = wait_for_service(home, supervisor.start_service())
        if client is None:
            say(_untrusted(settings))
        elif agent:
            supervisor.start_agent(client)
        if client is not None:
            _print_address(client, as_json=as_json)
        if client is not None and first:
            threading.Thread(target=_run_first, args=(client, first), daemon=True).start()
        supervisor.watch(client)
    except KeyboardInterrupt:
        say("Diamond has stopped. Jobs keep running; `diamond up` finds them again.")
    finally:
        supervisor.stop()


@app.command(name="open")
def open_page(
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open it in a browser.")
    ] = True,
    as_json: Json = False,
) -> None:
    """Print a one-time link that signs a browser in, and open it."""
    url = Client().open_link()
    if as_json:
        print_json({"url": url})
        return
    print(url)
    if browser and ("DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ):
        webbrowser.open(url)


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _untrusted(settings: Mapping[str, Any]) -> str:
    certificate = settings.get("certificate", "the certificate")
    return (
        f"Diamond is up, but this machine does not trust its certificate {certificate}, "
        "so no `diamond` command and no agent here can reach it. It serves everyone who trusts it. "
        f"To use it here too, stop it and start it with: SSL_CERT_FILE={certificate}"
    )


def _print_address(client: Client, *, as_json: bool) -> None:
    link = client.open_link()
    if as_json:
        print_json({"url": client.url, "open": link})
    else:
        print(f"Diamond is up at {client.url}")
        print(f"Open it in a browser (this link works once, within ten minutes): {link}")
        print(
            f"First job, from another terminal: {own_command()} run --wait --no-code -- echo hello"
        )
    sys.stdout.flush()


def _run_first(client: Client, spec: str) -> None:
    """Run a first spec and follow it in this terminal; Diamond keeps running whatever the result."""
    try:
        fields, folder = read_spec(spec)
        job = client.run(fields, folder=folder, say=say)
        code = wait_for_job(client, job)
    except DiamondError as error:
        say(f"{error.message}\n{error.hint}".strip())
        return
    say(f"See its metrics: diamond show {short_id(job.task.id)}" if code == 0 else "")
    say(f"Diamond keeps running at {client.url}. Ctrl-C stops it. Sign in again: diamond open")
