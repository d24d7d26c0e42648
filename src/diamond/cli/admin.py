"""`diamond admin`: for those who run a Diamond."""

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
from diamond.core.errors import BadRequest
from diamond.core.units import show_bytes
from diamond.sdk.client_config import diamond_home

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="For those who run this Diamond."
)
File = Annotated[Path, typer.Argument(metavar="FILE")]
Config = Annotated[
    Path | None, typer.Option("--config", help="The diamond.toml of the service, if it has one.")
]
User = Annotated[str, typer.Argument(metavar="USER", help="A person's id.")]


app.command(name="limits")(admin_limits)
app.command(name="usage")(admin_usage)
app.command(name="announce")(announce)


@app.command()
def users(
    search: Annotated[
        str, typer.Argument(metavar="[WORDS]", help="A part of a name or address.")
    ] = "",
    as_json: Json = False,
) -> None:
    """List people."""
    items = people().users(search)
    if as_json:
        print_json({"items": items, "next": None})
        return
    rows = [
        (
            one["id"],
            one["name"],
            one["email"],
            "administrator" if one["is_admin"] else "",
            "disabled" if one["disabled"] else "",
            time_ago(one["seen"]),
        )
        for one in items
    ]
    print_table(("USER", "NAME", "ADDRESS", "ROLE", "STATE", "LAST SIGN-IN"), rows)


@app.command()
def settings(as_json: Json = False) -> None:
    """Print what the service was told at its start; its diamond.toml changes it."""
    told = people().settings()
    if as_json:
        print_json(told)
        return
    told["providers"] = [f"{one['title']} ({one['issuer']})" for one in told["providers"]]
    rows = [(name, ", ".join(one) if isinstance(one, list) else one) for name, one in told.items()]
    print_table(
        ("SETTING", "VALUE"), [(name, "-" if one == "" else str(one)) for name, one in rows]
    )


@app.command()
def disable(user: User, as_json: Json = False) -> None:
    """Refuse a person's browsers, tokens and agents from now on; her jobs finish."""
    _changed(people().change_user(user, {"disabled": True}), "is disabled", as_json=as_json)


@app.command()
def enable(user: User, as_json: Json = False) -> None:
    """Let a disabled person in again."""
    _changed(people().change_user(user, {"disabled": False}), "is enabled", as_json=as_json)


@app.command()
def promote(
    user: User,
    take_back: Annotated[
        bool, typer.Option("--take-back", help="No administrator any more.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Make a person an administrator."""
    words = "is no administrator any more" if take_back else "is an administrator"
    _changed(people().change_user(user, {"is_admin": not take_back}), words, as_json=as_json)


@app.command()
def invite(
    email: Annotated[
        str,
        typer.Option("--email", help="Only for who has this address; else for one with the link."),
    ] = "",
    as_json: Json = False,
) -> None:
    """Make a link that lets one person in, once."""
    made = people().invite(email=email)
    print_json(made) if as_json else print(made["url"])


@app.command()
def audit(
    after: Annotated[int, typer.Option("--after", help="Only what came after this number.")] = 0,
    as_json: Json = False,
) -> None:
    """Print who did what, oldest first; with --json a line of JSON for each."""
    for line in people().audit(after):
        if as_json:
            print(json.dumps(line))
        else:
            about = " ".join(f"{name}={value}" for name, value in line["about"].items())
            print(f"{line['n']}  {time_ago(line['at'])}  {line['name']}  {line['action']}  {about}")


@app.command()
def backup(file: File, config: Config = None, as_json: Json = False) -> None:
    """Write everything that the service of this machine knows into one file, while it runs."""
    _keep("backup", file, config)
    size = file.stat().st_size
    print_json({"file": str(file), "bytes": size}) if as_json else say(
        f"{file}: {show_bytes(size)}"
    )


@app.command()
def restore(file: File, config: Config = None, as_json: Json = False) -> None:
    """Bring a backup back, also while Diamond runs; agents then tell what it lacks."""
    _keep("restore", file, config)
    words = (
        "Restored. If Diamond runs, it begins anew within seconds; else start it with `diamond up`."
    )
    print_json({"file": str(file)}) if as_json else say(words)


def _keep(act: str, file: Path, config: Path | None) -> None:
    """In the service's own process; the database's address goes by a variable, since it may hold a password."""
    url = str(read_config(config).get("database_url", ""))
    words = [
        sys.executable,
        "-m",
        "diamond.service.backup",
        act,
        str(file),
        "--home",
        str(diamond_home()),
    ]
    environment = {**os.environ, "DIAMOND_DATABASE_URL": url}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BadRequest(done.stderr.strip() or f"The {act} failed")


def _changed(user: dict[str, object], words: str, *, as_json: bool) -> None:
    print_json(user) if as_json else say(f"{user['name']} {words}.")
