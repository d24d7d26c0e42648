"""Two ways to add a machine: over the user's own ssh, or by pairing with a command pasted there."""

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
    """Create the endpoint, install and start its agent, and forward its calls over the same connection."""
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
    """Print the command and the code, wait for the agent to call, and ask the owner to confirm."""
    pairing = _pairing(client, name)
    if as_json:
        print_json(pairing)
        return
    print(f"On the login node of that machine, run:\n\n  {pairing['line']}\n")
    print(
        f"It asks for this code, valid once and for ten minutes:\n\n  {pairing['pairing_code']}\n"
    )
    confirm_pairing(client, _wait_for_call(client, name))


def confirm_pairing(client: Client, endpoint: Endpoint, *, yes: bool = False) -> None:
    """The owner checks host and user before the machine's key becomes valid."""
    if endpoint.state not in ("confirming", "pairing"):
        say(f"{endpoint.name} is {endpoint.state}: nothing to confirm.")
        return
    if endpoint.state == "pairing":
        raise Conflict(
            f"No agent has called for {endpoint.name} yet", "Run the command on that machine first."
        )
    question = f"{endpoint.name}: an agent on {endpoint.host} as {endpoint.user}. Is that you?"
    accept = yes or typer.confirm(question)
    client.confirm_endpoint(endpoint.name, accept)
    say(f"{endpoint.name} is confirmed." if accept else f"{endpoint.name} was rejected.")


def wait_for_profile(client: Client, name: str) -> Endpoint:
    """The endpoint once it has reported its profile, or as it is after some seconds."""
    end = time.monotonic() + PROFILE_SECONDS
    while True:
        endpoint = client.endpoint(name)
        is_ready = endpoint.profile.get("facts") and endpoint.state == "online"
        if is_ready or time.monotonic() > end:
            return endpoint
        time.sleep(0.1)


def _key_for(client: Client, name: str, host: str) -> tuple[str, bool]:
    """A key, and whether the endpoint is new; an existing one with the same host gets a new key."""
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


def _wait_for_call(client: Client, name: str) -> Endpoint:
    say("Waiting for the agent to call …")
    end = time.monotonic() + PAIRING_SECONDS
    while time.monotonic() < end:
        endpoint = client.endpoint(name)
        if endpoint.state != "pairing":
            return endpoint
        time.sleep(0.5)
    raise EndpointAway(
        "No agent called within ten minutes", f"Get a new code: diamond endpoint add {name}"
    )
