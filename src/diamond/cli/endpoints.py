"""`diamond endpoint`: the machines that jobs run on."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated, Any

import typer

from diamond.cli.adding import add_by_line, add_by_ssh, await_profile, confirm_here
from diamond.cli.connecting import connect as connect_link
from diamond.cli.connecting import stop_bridge
from diamond.cli.links import bridge_pid, forget_link, load_link
from diamond.cli.machine import agent_process, start_agent
from diamond.cli.options import EndpointName, Json, Yes
from diamond.cli.output import print_json, print_table, say
from diamond.cli.profiles import account_option, profile_lines, summary
from diamond.cli.words import age, endpoint_state, endpoint_step
from diamond.core.corrected import FOLDERS
from diamond.core.errors import BadRequest
from diamond.sdk.client import Client
from diamond.sdk.specs import parse_value
from diamond.sdk.where import diamond_home

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Machines that jobs run on.")

Detach = Annotated[
    bool,
    typer.Option("--detach/--foreground", help="Whether the connection goes to the background."),
]


@app.command()
def add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What to call it.")],
    ssh: Annotated[str, typer.Option("--ssh", metavar="HOST", help="By your own ssh.")] = "",
    ssh_config: Annotated[str, typer.Option("--ssh-config", "-F", metavar="FILE")] = "",
    ssh_option: Annotated[
        list[str] | None, typer.Option("--ssh-option", metavar="NAME=VALUE", help="As ssh -o.")
    ] = None,
    python: Annotated[
        str, typer.Option("--python", metavar="PATH", help="A Python there, 3.9+.")
    ] = "",
    detach: Detach = True,
    as_json: Json = False,
) -> None:
    """Add a machine: with --ssh from this computer, without it by one line to paste there."""
    client = Client()
    if ssh:
        options = ssh_option or []
        add_by_ssh(
            client, name, ssh, config=ssh_config, options=options, python=python, detach=detach
        )
        if detach:
            _tell_online(client, name, as_json=as_json)
    else:
        add_by_line(client, name, as_json=as_json)


@app.command()
def connect(name: EndpointName, detach: Detach = True, as_json: Json = False) -> None:
    """Sign in again to a machine that was added with --ssh, and catch up."""
    client, home = Client(), diamond_home()
    link = load_link(home, name)
    if link.url != client.url:
        raise BadRequest(
            f"{name} belongs to the service at {link.url}", f"Set DIAMOND_URL={link.url}"
        )
    if client.endpoint(name).state == "online" and bridge_pid(home, name):
        say(f"{name} is connected already.")
    else:
        connect_link(home, link, detach=detach)
    if detach:
        _tell_online(client, name, as_json=as_json)


@app.command()
def start(
    name: EndpointName,
    detach: Annotated[bool, typer.Option("--detach", help="In the background.")] = False,
    as_json: Json = False,
) -> None:
    """Run the agent of this machine for NAME, in the foreground."""
    client, home = Client(), diamond_home()
    if detach:
        process = start_agent(client, home, name)
        if as_json:
            print_json({"name": name, "pid": process.pid})
        else:
            say(f"The agent for {name} runs as process {process.pid}.")
        return
    words, env = agent_process(client, home, name)
    os.execve(words[0], words, env)


@app.command()
def confirm(name: EndpointName, yes: Yes = False, as_json: Json = False) -> None:
    """Confirm that a machine that was paired is yours."""
    client = Client()
    confirm_here(client, client.endpoint(name), yes=yes or as_json)
    if as_json:
        print_json(dict(client.endpoint(name).raw))


@app.command()
def probe(
    name: EndpointName,
    compute: Annotated[
        bool, typer.Option("--compute", help="Also on a compute node, by a short job.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Learn anew what a machine has and allows."""
    Client().probe(name, compute=compute)
    if as_json:
        print_json({"name": name, "compute": compute})
    else:
        say(f"{name} is being probed; see it with: diamond endpoint show {name}")


@app.command()
def upgrade(name: EndpointName, as_json: Json = False) -> None:
    """Bring a paired machine's agent to this service's version; its jobs go on."""
    Client().upgrade(name)
    if as_json:
        print_json({"name": name})
    else:
        say(f"The agent of {name} fetches its new file and starts anew; jobs go on.")


@app.command(name="list")
def list_endpoints(as_json: Json = False) -> None:
    """List machines and how to reach those that are away."""
    found = Client().endpoints()
    if as_json:
        print_json({"items": [dict(one.raw) for one in found], "next": None})
        return
    if not found:
        say(
            "No endpoints. This machine: diamond up. A cluster: diamond endpoint add NAME --ssh HOST"
        )
        return
    rows = [
        (
            one.name + (" *" if one.default else ""),
            endpoint_state(one.state),
            one.host,
            summary(one.profile),
            age(one.last_seen),
            one.outdated or endpoint_step(one),
        )
        for one in found
    ]
    print_table(("NAME", "STATE", "HOST", "WHAT", "SEEN", "NEXT STEP"), rows)


@app.command()
def show(name: EndpointName, as_json: Json = False) -> None:
    """Show one machine with all that is known of it, and how it was learned."""
    found = Client().endpoint(name)
    if as_json:
        print_json(dict(found.raw))
        return
    place = f", {found.user}@{found.host}, agent {found.agent_version}" if found.host else ""
    print(f"{found.name}: {endpoint_state(found.state)}{place}")
    for line in profile_lines(found.profile):
        print(f"  {line}")
    step = found.outdated or endpoint_step(found)
    if step:
        print(f"\n{step}")


@app.command(name="set")
def set_fact(
    name: EndpointName,
    settings: Annotated[
        list[str], typer.Argument(metavar="FACT=VALUE...", help="FACT= takes the correction back.")
    ],
    as_json: Json = False,
) -> None:
    """Correct what was probed, such as flags.mem=refuses; or default=true to make it the default."""
    client = Client()
    changes = changes_of(client.endpoint(name).profile, settings)
    changed = client.change_endpoint(name, changes)
    if as_json:
        print_json(dict(changed.raw))
    else:
        say(f"{name} is corrected; see it with: diamond endpoint show {name}")


@app.command()
def retention(
    name: EndpointName,
    days: Annotated[
        float | None, typer.Option("--days", help="Remove run directories older than this.")
    ] = None,
    gigabytes: Annotated[
        float | None, typer.Option("--gigabytes", help="Remove the oldest while there is more.")
    ] = None,
    off: Annotated[bool, typer.Option("--off", help="Remove nothing by itself.")] = False,
    as_json: Json = False,
) -> None:
    """Say how long run directories of ended tasks stay on a machine; without an option, tell."""
    if not off and days is None and gigabytes is None:
        _tell_retention(name, as_json=as_json)
        return
    if off and (days is not None or gigabytes is not None):
        raise BadRequest(
            "Give a limit, or --off", f"Such as: diamond endpoint retention {name} --days 30"
        )
    limits = {"older_than_days": days, "max_gigabytes": gigabytes}
    changed = Client().change_endpoint(name, {"retention": limits})
    if as_json:
        print_json(dict(changed.raw))
    else:
        say(f"{name} {'removes nothing by itself' if off else 'keeps to these limits'} from now on")


def _tell_retention(name: str, *, as_json: bool) -> None:
    kept = Client().endpoint(name).raw["retention"]
    if as_json:
        print_json({"retention": kept})
        return
    days, size = kept["older_than_days"], kept["max_gigabytes"]
    words = [f"those older than {days:g} days"] if days else []
    words += [f"the oldest while there are more than {size:g} GB"] if size else []
    print(f"{name} removes {' and '.join(words) or 'nothing'} by itself")


@app.command()
def export(
    name: EndpointName,
    file: Annotated[Path | None, typer.Argument(metavar="[FILE]")] = None,
    as_json: Json = False,
) -> None:
    """Write a machine's site profile to a file that others can import."""
    text = json.dumps(Client().profile(name), indent=2, ensure_ascii=False)
    if file is None:
        print(text)
        return
    file.write_text(text + "\n")
    if as_json:
        print_json({"path": str(file)})
    else:
        say(
            f"The profile of {name} is in {file}. Take it over: diamond endpoint import NAME {file}"
        )


@app.command(name="import")
def import_profile(
    name: EndpointName,
    file: Annotated[Path, typer.Argument(metavar="FILE")],
    as_json: Json = False,
) -> None:
    """Take over a site profile that someone exported."""
    try:
        profile = json.loads(file.read_text())
    except (OSError, ValueError) as error:
        raise BadRequest(
            f"{file} is not a site profile: {error}", "Make one: diamond endpoint export NAME FILE"
        ) from None
    Client().import_profile(name, profile)
    if as_json:
        print_json({"name": name, "path": str(file)})
    else:
        say(f"{name} now has the profile of {file}.")


@app.command()
def remove(name: EndpointName, as_json: Json = False) -> None:
    """Forget a machine; refused while tasks are open there. Files there stay."""
    home = diamond_home()
    Client().remove_endpoint(name)
    stop_bridge(home, name)
    forget_link(home, name)
    if as_json:
        print_json({"name": name})
    else:
        say(f"{name} is removed.")


def _tell_online(client: Client, name: str, *, as_json: bool) -> None:
    found = await_profile(client, name)
    if as_json:
        print_json({"endpoint": dict(found.raw)})
        return
    print(
        f"{name} is {endpoint_state(found.state)}: {found.user}@{found.host}, {summary(found.profile)}"
    )
    print(
        f"Send it a job: diamond run --on {name}{account_option(found.profile)} --wait -- hostname"
    )


def changes_of(profile: dict[str, Any], settings: list[str]) -> dict[str, Any]:
    """`a.b=c` changes one key of the fact `a` and keeps the rest of its value; so does `a.b.c=d`."""
    changes: dict[str, Any] = {}
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals:
            raise BadRequest(
                f"{setting!r} is not a correction", "Write FACT=VALUE, such as flags.mem=refuses."
            )
        value = parse_value(text) if text else None
        if key == "default":
            changes["default"] = _truth(setting, value)
            continue
        fact, _, inner = key.partition(".")
        corrections = changes.setdefault("corrections", {})
        if inner and value is not None:
            known = corrections.get(fact) or _value_of(profile, fact)
            corrections[fact] = _with(known, inner.split("."), value)
        else:
            corrections[fact] = value
        if fact == FOLDERS and inner and value is not None:
            corrections[fact] = _said_of_folders(profile, corrections[fact], inner.split(".")[0])
    return changes


def _with(known: Any, way: list[str], value: Any) -> Any:
    if not way:
        return value
    have = known if isinstance(known, dict) else {}
    return {**have, way[0]: _with(have.get(way[0]), way[1:], value)}


def _said_of_folders(profile: dict[str, Any], folders: Any, name: str) -> dict[str, Any]:
    """Only what a person knows of a folder: the room in it is learned anew each time."""
    before = (profile.get("corrections") or {}).get(FOLDERS) or {}
    said = {key: one for key, one in folders[name].items() if not key.startswith("free_")}
    return {**(before.get("value") or {}), name: said}


def _truth(setting: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise BadRequest(f"{setting!r} is neither true nor false", "Write default=true.")
    return value


def _value_of(profile: dict[str, Any], fact: str) -> Any:
    for kind in ("corrections", "facts"):
        found = (profile.get(kind) or {}).get(fact)
        if found is not None:
            return found.get("value") if isinstance(found, dict) and "value" in found else found
    return None
