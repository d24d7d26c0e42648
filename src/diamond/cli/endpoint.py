"""`diamond endpoint`: the machines that jobs run on."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from diamond.cli.endpoint_add import add_by_pairing, add_by_ssh, confirm_pairing, wait_for_profile
from diamond.cli.endpoint_status import describe_endpoint_state, endpoint_next_step
from diamond.cli.format import time_ago
from diamond.cli.local_processes import agent_command, start_agent
from diamond.cli.options import EndpointName, Json, Yes
from diamond.cli.output import print_json, print_table, say
from diamond.cli.profile_corrections import changes_of
from diamond.cli.profile_format import account_option, profile_lines, profile_summary
from diamond.cli.saved_links import bridge_pid, forget_link, load_link
from diamond.cli.ssh_connection import connect as connect_link
from diamond.cli.ssh_connection import stop_bridge
from diamond.core.errors import BadRequest
from diamond.core.units import show_bytes
from diamond.sdk.client import Client
from diamond.sdk.client_config import diamond_home

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Machines that jobs run on.")

MOST_BROWSED = 5000
Detach = Annotated[
    bool,
    typer.Option("--detach/--foreground", help="Keep the connection in the background or here."),
]


@app.command()
def add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name for it.")],
    ssh: Annotated[
        str, typer.Option("--ssh", metavar="HOST", help="Connect with your own ssh.")
    ] = "",
    ssh_config: Annotated[str, typer.Option("--ssh-config", "-F", metavar="FILE")] = "",
    ssh_option: Annotated[
        list[str] | None,
        typer.Option("--ssh-option", metavar="NAME=VALUE", help="Passed to ssh -o."),
    ] = None,
    python: Annotated[
        str, typer.Option("--python", metavar="PATH", help="A Python 3.9 or newer on that machine.")
    ] = "",
    detach: Detach = True,
    as_json: Json = False,
) -> None:
    """Add a machine: with --ssh from this computer, or without it by a command to paste there."""
    client = Client()
    if ssh:
        options = ssh_option or []
        add_by_ssh(
            client, name, ssh, config=ssh_config, options=options, python=python, detach=detach
        )
        if detach:
            _print_online(client, name, as_json=as_json)
    else:
        add_by_pairing(client, name, as_json=as_json)


@app.command()
def connect(name: EndpointName, detach: Detach = True, as_json: Json = False) -> None:
    """Reconnect to a machine that was added with --ssh."""
    client, home = Client(), diamond_home()
    link = load_link(home, name)
    if link.url != client.url:
        raise BadRequest(
            f"{name} belongs to the service at {link.url}", f"Set DIAMOND_URL={link.url}"
        )
    if client.endpoint(name).state == "online" and bridge_pid(home, name):
        say(f"{name} is already connected.")
    else:
        connect_link(home, link, detach=detach)
    if detach:
        _print_online(client, name, as_json=as_json)


@app.command()
def start(
    name: EndpointName,
    detach: Annotated[bool, typer.Option("--detach", help="Run in the background.")] = False,
    as_json: Json = False,
) -> None:
    """Run the agent of this machine for endpoint NAME, in the foreground."""
    client, home = Client(), diamond_home()
    if detach:
        process = start_agent(client, home, name)
        if as_json:
            print_json({"name": name, "pid": process.pid})
        else:
            say(f"The agent for {name} runs as process {process.pid}.")
        return
    command, env = agent_command(client, home, name)
    os.execve(command[0], command, env)


@app.command()
def confirm(name: EndpointName, yes: Yes = False, as_json: Json = False) -> None:
    """Confirm that a paired machine is yours."""
    client = Client()
    confirm_pairing(client, client.endpoint(name), yes=yes or as_json)
    if as_json:
        print_json(dict(client.endpoint(name).raw))


@app.command()
def browse(
    name: EndpointName,
    path: Annotated[str, typer.Argument(metavar="PATH", help="A folder there.")] = "",
    as_json: Json = False,
) -> None:
    """List a folder of a machine, to find data; without a path, where data may be."""
    client = Client()
    page = client.browse(name, path)
    items = list(page["items"])
    while page["next"] is not None and len(items) < MOST_BROWSED:
        page = client.browse(name, path, page["next"])
        items += page["items"]
    if as_json:
        print_json({"folder": page["folder"], "items": items, "next": page["next"]})
        return
    rows = [
        (
            item["path"] if not page["folder"] else item["name"],
            item["kind"],
            show_bytes(item["size"]) if item["size"] is not None else "",
            time_ago(item["modified"]) if item["modified"] else "",
        )
        for item in items
    ]
    print_table(("NAME", "KIND", "SIZE", "CHANGED"), rows)
    if page["next"] is not None or page["is_cut"]:
        say(f"The first {len(items)} names; the folder has more.")


@app.command()
def probe(
    name: EndpointName,
    compute: Annotated[
        bool, typer.Option("--compute", help="Also probe a compute node with a short job.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Probe again what a machine has and allows."""
    Client().probe(name, compute=compute)
    if as_json:
        print_json({"name": name, "compute": compute})
    else:
        say(f"Probing {name}. See the result: diamond endpoint show {name}")


@app.command()
def upgrade(name: EndpointName, as_json: Json = False) -> None:
    """Upgrade a paired machine's agent to the version of the service; its jobs keep running."""
    Client().upgrade(name)
    if as_json:
        print_json({"name": name})
    else:
        say(f"The agent of {name} downloads the new version and restarts; jobs keep running.")


@app.command(name="list")
def list_endpoints(as_json: Json = False) -> None:
    """List machines, and how to reconnect those that are offline."""
    endpoints = Client().endpoints()
    if as_json:
        print_json({"items": [dict(endpoint.raw) for endpoint in endpoints], "next": None})
        return
    if not endpoints:
        say(
            "No endpoints. Use this machine: diamond up. Add a cluster: diamond endpoint add NAME --ssh HOST"
        )
        return
    rows = [
        (
            endpoint.name + (" *" if endpoint.default else ""),
            describe_endpoint_state(endpoint.state),
            endpoint.host,
            profile_summary(endpoint.profile),
            time_ago(endpoint.last_seen),
            endpoint.outdated or endpoint_next_step(endpoint),
        )
        for endpoint in endpoints
    ]
    print_table(("NAME", "STATE", "HOST", "WHAT", "SEEN", "NEXT STEP"), rows)


@app.command()
def show(name: EndpointName, as_json: Json = False) -> None:
    """Show everything known about one machine, and how it was learned."""
    endpoint = Client().endpoint(name)
    if as_json:
        print_json(dict(endpoint.raw))
        return
    agent = f"agent {endpoint.agent_version}"
    host = f", {endpoint.user}@{endpoint.host}, {agent}" if endpoint.host else ""
    print(f"{endpoint.name}: {describe_endpoint_state(endpoint.state)}{host}")
    for line in profile_lines(endpoint.profile):
        print(f"  {line}")
    step = endpoint.outdated or endpoint_next_step(endpoint)
    if step:
        print(f"\n{step}")


@app.command(name="set")
def set_fact(
    name: EndpointName,
    settings: Annotated[
        list[str], typer.Argument(metavar="FACT=VALUE...", help="FACT= removes the correction.")
    ],
    as_json: Json = False,
) -> None:
    """Correct probed facts, such as flags.mem=refuses; or set default=true to make it the default endpoint."""
    client = Client()
    changes = changes_of(client.endpoint(name).profile, settings)
    changed = client.change_endpoint(name, changes)
    if as_json:
        print_json(dict(changed.raw))
    else:
        say(f"{name} was corrected. See it: diamond endpoint show {name}")


@app.command()
def retention(
    name: EndpointName,
    days: Annotated[
        float | None, typer.Option("--days", help="Remove run directories older than this.")
    ] = None,
    gigabytes: Annotated[
        float | None,
        typer.Option("--gigabytes", help="Remove the oldest while they take more than this."),
    ] = None,
    off: Annotated[bool, typer.Option("--off", help="Remove nothing automatically.")] = False,
    as_json: Json = False,
) -> None:
    """Set how long run directories of ended tasks are kept; without an option, show it."""
    if not off and days is None and gigabytes is None:
        _print_retention(name, as_json=as_json)
        return
    if off and (days is not None or gigabytes is not None):
        raise BadRequest(
            "--off cannot be combined with a limit",
            f"For example: diamond endpoint retention {name} --days 30",
        )
    limits = {"older_than_days": days, "max_gigabytes": gigabytes}
    changed = Client().change_endpoint(name, {"retention": limits})
    if as_json:
        print_json(dict(changed.raw))
    else:
        say(
            f"{name} now removes nothing automatically."
            if off
            else f"{name} now removes run directories beyond these limits."
        )


def _print_retention(name: str, *, as_json: bool) -> None:
    limits = Client().endpoint(name).raw["retention"]
    if as_json:
        print_json({"retention": limits})
        return
    days, size = limits["older_than_days"], limits["max_gigabytes"]
    removed = [f"run directories older than {days:g} days"] if days else []
    removed += [f"the oldest ones beyond {size:g} GB"] if size else []
    print(f"{name} automatically removes {' and '.join(removed) or 'nothing'}")


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
        say(f"The profile of {name} is in {file}. Import it: diamond endpoint import NAME {file}")


@app.command(name="import")
def import_profile(
    name: EndpointName,
    file: Annotated[Path, typer.Argument(metavar="FILE")],
    as_json: Json = False,
) -> None:
    """Use a site profile that someone exported."""
    try:
        profile = json.loads(file.read_text())
    except (OSError, ValueError) as error:
        raise BadRequest(
            f"{file} is not a site profile: {error}",
            "Create one: diamond endpoint export NAME FILE",
        ) from None
    Client().import_profile(name, profile)
    if as_json:
        print_json({"name": name, "path": str(file)})
    else:
        say(f"{name} now has the profile of {file}.")


@app.command()
def remove(name: EndpointName, as_json: Json = False) -> None:
    """Remove a machine from Diamond; not possible while it has open tasks. Its files stay."""
    home = diamond_home()
    Client().remove_endpoint(name)
    stop_bridge(home, name)
    forget_link(home, name)
    if as_json:
        print_json({"name": name})
    else:
        say(f"{name} is removed.")


def _print_online(client: Client, name: str, *, as_json: bool) -> None:
    endpoint = wait_for_profile(client, name)
    if as_json:
        print_json({"endpoint": dict(endpoint.raw)})
        return
    print(
        f"{name} is {describe_endpoint_state(endpoint.state)}: {endpoint.user}@{endpoint.host}, "
        f"{profile_summary(endpoint.profile)}"
    )
    print(f"Try it: diamond run --on {name}{account_option(endpoint.profile)} --wait -- hostname")
