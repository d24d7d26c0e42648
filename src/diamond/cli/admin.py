"""`diamond admin`: commands for administrators."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from diamond.cli.format import time_ago
from diamond.cli.limits import admin_limits, admin_usage, announce
from diamond.cli.local_processes import read_config
from diamond.cli.options import Json
from diamond.cli.output import print_json, print_table, say
from diamond.cli.people import people
from diamond.cli.storage import admin_storage
from diamond.core.errors import BadRequest
from diamond.core.units import show_bytes
from diamond.sdk.client_config import diamond_home

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="For administrators of this service."
)
File = Annotated[Path, typer.Argument(metavar="FILE")]
Config = Annotated[
    Path | None, typer.Option("--config", help="The service's diamond.toml, if it has one.")
]
User = Annotated[str, typer.Argument(metavar="USER", help="The user's id.")]


app.command(name="limits")(admin_limits)
app.command(name="usage")(admin_usage)
app.command(name="announce")(announce)
app.command(name="storage")(admin_storage)


@app.command()
def users(
    search: Annotated[
        str, typer.Argument(metavar="[TEXT]", help="Part of a name or e-mail address.")
    ] = "",
    as_json: Json = False,
) -> None:
    """List users."""
    items = people().users(search)
    if as_json:
        print_json({"items": items, "next": None})
        return
    rows = [
        (
            user["id"],
            user["name"],
            user["email"],
            "administrator" if user["is_admin"] else "",
            "disabled" if user["disabled"] else "",
            time_ago(user["seen"]),
        )
        for user in items
    ]
    print_table(("USER", "NAME", "ADDRESS", "ROLE", "STATE", "LAST SIGN-IN"), rows)


@app.command()
def settings(as_json: Json = False) -> None:
    """Show the settings of the service; change them in its diamond.toml."""
    values = people().settings()
    if as_json:
        print_json(values)
        return
    values["providers"] = [
        f"{provider['title']} ({provider['issuer']})" for provider in values["providers"]
    ]
    rows = [
        (name, ", ".join(value) if isinstance(value, list) else value)
        for name, value in values.items()
    ]
    print_table(
        ("SETTING", "VALUE"), [(name, "-" if value == "" else str(value)) for name, value in rows]
    )


@app.command()
def disable(user: User, as_json: Json = False) -> None:
    """Block a user's browsers, tokens and agents; their running jobs finish."""
    _print_user(people().change_user(user, {"disabled": True}), "is disabled", as_json=as_json)


@app.command()
def enable(user: User, as_json: Json = False) -> None:
    """Let a disabled user in again."""
    _print_user(people().change_user(user, {"disabled": False}), "is enabled", as_json=as_json)


@app.command()
def promote(
    user: User,
    take_back: Annotated[
        bool, typer.Option("--take-back", help="Remove the administrator role instead.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Make a user an administrator."""
    result = "is no longer an administrator" if take_back else "is an administrator"
    _print_user(people().change_user(user, {"is_admin": not take_back}), result, as_json=as_json)


@app.command()
def invite(
    email: Annotated[
        str,
        typer.Option(
            "--email", help="Only for this e-mail address; default: for anyone with the link."
        ),
    ] = "",
    as_json: Json = False,
) -> None:
    """Create a link that gives one person an account, once."""
    invitation = people().invite(email=email)
    print_json(invitation) if as_json else print(invitation["url"])


@app.command()
def audit(
    after: Annotated[int, typer.Option("--after", help="Only entries after this number.")] = 0,
    as_json: Json = False,
) -> None:
    """Print who did what, oldest first; with --json, one line of JSON per entry."""
    for line in people().audit(after):
        if as_json:
            print(json.dumps(line))
        else:
            about = " ".join(f"{name}={value}" for name, value in line["about"].items())
            print(f"{line['n']}  {time_ago(line['at'])}  {line['name']}  {line['action']}  {about}")


@app.command()
def backup(file: File, config: Config = None, as_json: Json = False) -> None:
    """Back up everything the service on this machine knows to one file, while it runs."""
    _run_backup("backup", file, config)
    size = file.stat().st_size
    print_json({"file": str(file), "bytes": size}) if as_json else say(
        f"{file}: {show_bytes(size)}"
    )


@app.command()
def restore(file: File, config: Config = None, as_json: Json = False) -> None:
    """Restore a backup, even while the service runs; agents then report what it is missing."""
    _run_backup("restore", file, config)
    message = (
        "Restored. A running service restarts within seconds; else start it with `diamond up`."
    )
    print_json({"file": str(file)}) if as_json else say(message)


def _run_backup(action: str, file: Path, config: Path | None) -> None:
    """In a separate process; the database URL is passed as a variable, because it may contain a password."""
    url = str(read_config(config).get("database_url", ""))
    command = [
        sys.executable,
        "-m",
        "diamond.service.maintenance.backup",
        action,
        str(file),
        "--home",
        str(diamond_home()),
    ]
    environment = {**os.environ, "DIAMOND_DATABASE_URL": url}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BadRequest(done.stderr.strip() or f"The {action} failed")


def _print_user(user: dict[str, object], result: str, *, as_json: bool) -> None:
    print_json(user) if as_json else say(f"{user['name']} {result}.")
