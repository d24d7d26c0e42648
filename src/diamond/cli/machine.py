"""The service and the agent of this machine, as processes of their own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from diamond.cli.links import links_folder, write_private
from diamond.core.errors import BadRequest, Conflict, DiamondError, NotFound, ServiceUnreachable
from diamond.sdk.client import Client
from diamond.sdk.models import Endpoint
from diamond.sdk.where import diamond_home, saved_address

SETTINGS = (
    "port",
    "host",
    "database_url",
    "public_url",
    "certificate",
    "certificate_key",
    "proxies",
)
VARIABLES = (
    "smtp_host",
    "smtp_port",
    "smtp_security",
    "smtp_user",
    "smtp_password",
    "smtp_from",
    "webhook_private",
)
"""Settings that reach the service by its environment: a command line is seen by everybody."""
PEOPLE = "people"
THIS_MACHINE = "this-machine"
"""In the agent's folder: its jobs run on this machine itself, not in the queue of a cluster."""
START_SECONDS = 60.0


def read_config(path: Path | None) -> dict[str, Any]:
    """The settings in a TOML file; an unknown one is answered with those there are."""
    if path is None:
        return {}
    try:
        read = tomllib.loads(path.read_text())
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise BadRequest(
            f"{path} cannot be read: {error}", "It is a TOML file, such as: port = 8642"
        ) from None
    known = (*SETTINGS, *VARIABLES, PEOPLE)
    unknown = sorted(set(read) - set(known))
    if unknown:
        raise BadRequest(
            f"{path} has unknown settings: {', '.join(unknown)}", f"Settings: {', '.join(known)}"
        )
    # The service reads that part itself: it is long, and may name a file with a secret.
    return {**read, PEOPLE: str(path.absolute())} if PEOPLE in read else read


def make_home() -> Path:
    """`$DIAMOND_HOME`, made if it is missing."""
    home = diamond_home()
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise BadRequest(
            f"{home} cannot be Diamond's folder ({error.strerror})",
            "Set DIAMOND_HOME to a folder of yours.",
        ) from error
    return home


def running_client(home: Path) -> Client | None:
    """The client of the service that already runs for this home; another home's may hold the port."""
    saved = saved_address(home)
    if saved is None:
        return None
    try:
        client = Client(saved.url, saved.token)
        client.me()
        return client
    except DiamondError:
        return None


def start_service(home: Path, settings: Mapping[str, Any]) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-m", "diamond.service", "--home", str(home)]
    for name in (*SETTINGS, PEOPLE):
        if settings.get(name):
            words += [f"--{name.replace('_', '-')}", str(settings[name])]
    return _start(words, home / "service.log", {**os.environ, **_variables(settings)})


def _variables(settings: Mapping[str, Any]) -> dict[str, str]:
    """`smtp_host` as DIAMOND_SMTP_HOST."""
    given = {name: settings[name] for name in VARIABLES if settings.get(name)}
    return {
        f"DIAMOND_{name.upper()}": "1" if value is True else str(value)
        for name, value in given.items()
    }


def await_service(home: Path, service: subprocess.Popen[bytes]) -> Client:
    """The client, as soon as the service answers; raises with the service's last words."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        code = service.poll()
        if code is not None:
            raise _no_start(code, home / "service.log")
        client = running_client(home)
        if client is not None:
            return client
        time.sleep(0.05)
    raise ServiceUnreachable(
        f"The service does not answer after {START_SECONDS:.0f} s",
        f"What it said is in {home / 'service.log'}",
    )


def _no_start(code: int, log: Path) -> ServiceUnreachable:
    words = last_words(log)
    if "address already in use" in words:
        return ServiceUnreachable(
            "Another program on this machine has the port that Diamond would serve on",
            "Choose another port: diamond up --port 8700",
        )
    return ServiceUnreachable(f"The service ended with {code}: {words}", f"All it said is in {log}")


def agent_process(
    client: Client, home: Path, name: str, *, is_this_machine: bool = False
) -> tuple[list[str], dict[str, str]]:
    """Command and environment of this machine's agent for `name`, which is made an endpoint if it is none.

    `is_this_machine`: jobs run on this machine itself, even if it is also a cluster's login node. That is remembered.
    """
    env = _environment(home, name)
    words = [sys.executable, "-m", "diamond.agent"]
    try:
        endpoint = client.endpoint(name)
    except NotFound:
        endpoint = None
    if endpoint is not None and endpoint.carrier == "ssh":
        raise BadRequest(f"{name} is reached over ssh", f"Use: diamond endpoint connect {name}")
    if endpoint is not None and endpoint.carrier == "https":
        _pair_here(client, endpoint, words, env)
        return [*words, "run"], env
    key = _key(client, name, is_new=endpoint is None)
    file = write_private(links_folder(home) / f"{name}.key", key)
    words += ["run", "--url", client.url, "--key-file", str(file)]
    mark = Path(env["DIAMOND_KEEP"]) / THIS_MACHINE
    if is_this_machine:
        mark.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        mark.touch()
    return ([*words, "--this-machine"] if mark.exists() else words), env


def start_agent(
    client: Client, home: Path, name: str, *, is_this_machine: bool = False
) -> subprocess.Popen[bytes]:
    """Start the agent for endpoint `name`, out of reach of this terminal's Ctrl-C."""
    words, env = agent_process(client, home, name, is_this_machine=is_this_machine)
    return _start(words, links_folder(home) / f"{name}.log", env)


def _key(client: Client, name: str, *, is_new: bool) -> str:
    """A fresh key; older ones end with it."""
    return (
        str(client.add_endpoint(name, "local")["key"]) if is_new else client.new_endpoint_key(name)
    )


def _pair_here(
    client: Client, endpoint: Endpoint, words: list[str], env: Mapping[str, str]
) -> None:
    """Pair this machine, unless it is paired; the person who types this is the owner, so she confirms."""
    if (Path(env["DIAMOND_KEEP"]) / "agent.json").exists():
        return
    if endpoint.host not in ("", socket.gethostname()):
        raise Conflict(
            f"{endpoint.name} lives on {endpoint.host}", f"There, type: {endpoint.revive}"
        )
    code = str(client.new_pairing_code(endpoint.name)["pairing_code"])
    pairing = [*words, "pair", "--url", client.url, "--no-run"]
    done = subprocess.run(pairing, input=code.encode(), env=env, capture_output=True, check=False)
    if done.returncode:
        raise Conflict("The pairing failed: " + done.stderr.decode(errors="replace").strip())
    client.confirm_endpoint(endpoint.name)


def _environment(home: Path, name: str) -> dict[str, str]:
    """The agents of this machine live below $DIAMOND_HOME, each in a folder of its own."""
    keep = home / "agents" / name
    given = {key: value for key, value in os.environ.items() if key != "DIAMOND_TOKEN"}
    return {"DIAMOND_WORK": str(keep / "work"), **given, "DIAMOND_KEEP": str(keep)}


def await_online(
    client: Client, name: str, is_alive: Callable[[], bool], seconds: float = 20
) -> bool:
    """Whether the endpoint came online in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and is_alive():
        if client.endpoint(name).state == "online":
            return True
        time.sleep(0.05)
    return False


def last_words(log: Path, lines: int = 5) -> str:
    try:
        text = log.read_text(errors="replace")
    except OSError:
        return "nothing"
    return " | ".join(text.strip().splitlines()[-lines:]) or "nothing"


def _start(
    words: list[str], log: Path, env: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as out:
        return subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=env, start_new_session=True
        )
