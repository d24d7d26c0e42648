"""The two ways to add a machine: over one's own ssh, or by a line to paste there."""

from __future__ import annotations

import time
from pathlib import Path

import typer

from diamond.cli.output import print_json, say
from diamond.cli.saved_links import SavedLink, forget_link, save_link
from diamond.cli.ssh_connection import connect
from diamond.core.errors import Conflict, EndpointAway
from diamond.sdk.client import Client
from diamond.sdk.client_config import diamond_home
from diamond.sdk.models import Endpoint

PAIRING_SECONDS = 600
PROFILE_SECONDS = 15


def add_by_ssh(
    client: Client,
    name: str,
    host: str,
    *,
    config: str = "",
    options: list[str],
    python: str = "",
    detach: bool = True,
) -> None:
    """Make the endpoint, install and start the agent there, and carry its calls over the same connection."""
    key, is_new = _key_for(client, name, host)
    file = str(Path(config).absolute()) if config else ""
    identity = client.endpoint(name).id
    link = SavedLink(name, identity, client.url, key, host, file, options, python)
    home = diamond_home()
    save_link(home, link)
    try:
        connect(home, link, detach=detach)
    except (EndpointAway, KeyboardInterrupt):
        if is_new:
            client.remove_endpoint(name)
            forget_link(home, name)
        raise


def add_by_pairing(client: Client, name: str, *, as_json: bool) -> None:
    """Print the line and the code; wait until the agent has called, and ask whether it is hers."""
    made = _pairing(client, name)
    if as_json:
        print_json(made)
        return
    print(f"On the machine itself (its login node), run:\n\n  {made['line']}\n")
    print(f"It asks for this code, good once and for ten minutes:\n\n  {made['pairing_code']}\n")
    found = _await_call(client, name)
    confirm_pairing(client, found)


def confirm_pairing(client: Client, endpoint: Endpoint, *, yes: bool = False) -> None:
    """The owner looks at host and user before the machine's key is good for anything."""
    if endpoint.state not in ("confirming", "pairing"):
        say(f"{endpoint.name} is {endpoint.state}: nothing to confirm.")
        return
    if endpoint.state == "pairing":
        raise Conflict(
            f"No agent has called for {endpoint.name} yet", "Run the line on that machine first."
        )
    words = f"{endpoint.name}: an agent on {endpoint.host} as {endpoint.user}. Is that you?"
    accept = yes or typer.confirm(words)
    client.confirm_endpoint(endpoint.name, accept)
    say(f"{endpoint.name} is yours now." if accept else f"{endpoint.name} was turned away.")


def wait_for_profile(client: Client, name: str) -> Endpoint:
    """The endpoint once it has told what it is, or as it is after some seconds."""
    end = time.monotonic() + PROFILE_SECONDS
    while True:
        found = client.endpoint(name)
        if (found.profile.get("facts") and found.state == "online") or time.monotonic() > end:
            return found
        time.sleep(0.1)


def _key_for(client: Client, name: str, host: str) -> tuple[str, bool]:
    """A key, and whether the endpoint is new; one that exists with the same host gets a fresh key."""
    try:
        return str(client.add_endpoint(name, "ssh", host)["key"]), True
    except Conflict:
        known = client.endpoint(name)
        if known.carrier != "ssh" or known.raw.get("ssh_host", host) != host:
            raise
        return client.new_endpoint_key(name), False


def _pairing(client: Client, name: str) -> dict[str, object]:
    try:
        return client.add_endpoint(name, "https")
    except Conflict:
        known = client.endpoint(name)
        if known.carrier != "https" or known.state == "online":
            raise
        return {"endpoint": dict(known.raw), **client.new_pairing_code(name)}


def _await_call(client: Client, name: str) -> Endpoint:
    say("Waiting for it to call …")
    end = time.monotonic() + PAIRING_SECONDS
    while time.monotonic() < end:
        found = client.endpoint(name)
        if found.state != "pairing":
            return found
        time.sleep(0.5)
    raise EndpointAway(
        "No agent called within ten minutes", f"A fresh code: diamond endpoint add {name}"
    )
