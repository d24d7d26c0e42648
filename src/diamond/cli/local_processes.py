"""Start the service and the agent of this machine as separate processes."""

from __future__ import annotations

import errno
import os
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from diamond.cli.output import say
from diamond.cli.saved_links import links_folder, write_private
from diamond.core.errors import BadRequest, Conflict, DiamondError, NotFound, ServiceUnreachable
from diamond.sdk.client import Client
from diamond.sdk.client_config import diamond_home, saved_address
from diamond.sdk.models import Endpoint

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
"""Settings passed as environment variables: everyone can see command lines."""
PEOPLE = "people"
THIS_MACHINE = "this-machine"
"""In the agent's folder: its jobs run on this machine itself, not in the queue of a cluster."""
START_SECONDS = 60.0
USUAL_PORT = 8642


def read_config(path: Path | None) -> dict[str, Any]:
    """Read the settings from a TOML file; unknown settings are rejected."""
    if path is None:
        return {}
    try:
        read = tomllib.loads(path.read_text())
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise BadRequest(
            f"Cannot read {path}: {error}", "It must be a TOML file with lines such as: port = 8642"
        ) from None
    known = (*SETTINGS, *VARIABLES, PEOPLE)
    unknown = sorted(set(read) - set(known))
    if unknown:
        raise BadRequest(
            f"{path} has unknown settings: {', '.join(unknown)}", f"Settings: {', '.join(known)}"
        )
    # The service reads this section itself: it is long, and may name a file with a secret.
    return {**read, PEOPLE: str(path.absolute())} if PEOPLE in read else read


def ensure_home() -> Path:
    """`$DIAMOND_HOME`, created if it is missing, and writable."""
    home = diamond_home()
    doing = "create"
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        doing = "write to"
        tempfile.TemporaryFile(dir=home).close()
    except OSError as error:
        raise BadRequest(
            f"Cannot {doing} Diamond's folder {home}: {error.strerror}",
            "Set DIAMOND_HOME to a folder you can write to.",
        ) from error
    return home


def choose_port(settings: dict[str, Any]) -> None:
    """Set a free port if none was asked for and the usual one is taken; raises if the one asked for is."""
    host = str(settings.get("host") or "127.0.0.1")
    asked = settings.get("port")
    if _is_free(host, int(asked or USUAL_PORT)):
        return
    if asked:
        raise ServiceUnreachable(
            f"Another program on this machine uses port {asked}",
            f"Choose another one: {own_command()} up --port {_free_port(host)}",
        )
    settings["port"] = _free_port(host)
    say(f"Another program uses port {USUAL_PORT}, so Diamond uses port {settings['port']}.")


def own_command() -> str:
    """What to type for `diamond` here, where it may not be on PATH."""
    called = Path(sys.argv[0])
    is_ours = called.name == "diamond" and shutil.which("diamond") is None
    return os.path.relpath(called) if is_ours else "diamond"


def _is_free(host: str, port: int) -> bool:
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as probe:
            # As the service itself: the last connections of an earlier one do not count.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        # Any other fault is the service's to explain.
        return error.errno != errno.EADDRINUSE
    return True


def _free_port(host: str) -> int:
    near = range(USUAL_PORT + 1, USUAL_PORT + 100)
    return next((port for port in near if _is_free(host, port)), 0) or _any_port(host)


def _any_port(host: str) -> int:
    with socket.create_server((host, 0)) as probe:
        return int(probe.getsockname()[1])


def running_client(home: Path) -> Client | None:
    """A client of the service already running for this home, if any; the port may belong to another home's."""
    saved = saved_address(home)
    if saved is None:
        return None
    try:
        client = Client(saved.url, saved.token)
        client.me()
        return client
    except DiamondError:
        return None


def is_untrusted(home: Path) -> bool:
    """Whether the saved service answers with a certificate that this machine does not trust."""
    saved = saved_address(home)
    try:
        if saved is not None:
            Client(saved.url, saved.token).me()
    except DiamondError as error:
        return isinstance(error.__cause__, ssl.SSLCertVerificationError)
    return False


def start_service(home: Path, settings: Mapping[str, Any]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "diamond.service", "--home", str(home)]
    for name in (*SETTINGS, PEOPLE):
        if settings.get(name):
            command += [f"--{name.replace('_', '-')}", str(settings[name])]
    variables = {**os.environ, **_variables(settings)}
    return _start([*command, "--with-parent"], home / "service.log", variables, with_parent=True)


def _variables(settings: Mapping[str, Any]) -> dict[str, str]:
    """`smtp_host` as DIAMOND_SMTP_HOST."""
    given = {name: settings[name] for name in VARIABLES if settings.get(name)}
    return {
        f"DIAMOND_{name.upper()}": "1" if value is True else str(value)
        for name, value in given.items()
    }


def wait_for_service(home: Path, service: subprocess.Popen[bytes]) -> Client | None:
    """Wait until the service answers; raises with the end of its log. None: it serves, with a certificate that this machine does not trust."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        code = service.poll()
        if code is not None:
            raise _start_error(code, home / "service.log")
        client = running_client(home)
        if client is not None:
            return client
        if is_untrusted(home):
            return None
        time.sleep(0.05)
    raise ServiceUnreachable(
        f"The service did not answer within {START_SECONDS:.0f} s",
        f"See its log: {home / 'service.log'}",
    )


def _start_error(code: int, log: Path) -> ServiceUnreachable:
    lines = log_tail(log)
    if "address already in use" in lines:
        return ServiceUnreachable(
            "Another program on this machine uses the port",
            f"Choose another one: {own_command()} up --port 8700",
        )
    return ServiceUnreachable(
        f"The service exited with code {code}: {lines}", f"See its log: {log}"
    )


def agent_command(
    client: Client, home: Path, name: str, *, is_this_machine: bool = False
) -> tuple[list[str], dict[str, str]]:
    """Command and environment of this machine's agent for endpoint `name`, which is created if missing.

    `is_this_machine`: jobs run on this machine itself, even if it is also a cluster's login node. That is remembered.
    """
    env = agent_environment(home, name)
    command = [sys.executable, "-m", "diamond.agent"]
    try:
        endpoint = client.endpoint(name)
    except NotFound:
        endpoint = None
    if endpoint is not None and endpoint.carrier == "ssh":
        raise BadRequest(f"{name} is connected over ssh", f"Use: diamond endpoint connect {name}")
    if endpoint is not None and endpoint.carrier == "https":
        _pair_here(client, endpoint, command, env)
        return [*command, "run"], env
    key = _key(client, name, is_new=endpoint is None)
    file = write_private(links_folder(home) / f"{name}.key", key)
    command += ["run", "--url", client.url, "--key-file", str(file)]
    mark = Path(env["DIAMOND_KEEP"]) / THIS_MACHINE
    if is_this_machine:
        mark.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        mark.touch()
    return ([*command, "--this-machine"] if mark.exists() else command), env


def start_agent(
    client: Client,
    home: Path,
    name: str,
    *,
    is_this_machine: bool = False,
    with_parent: bool = False,
) -> subprocess.Popen[bytes]:
    """Start the agent for endpoint `name`, unaffected by Ctrl-C in this terminal. `with_parent`: it ends with this process."""
    command, env = agent_command(client, home, name, is_this_machine=is_this_machine)
    command += ["--with-parent"] if with_parent else []
    return _start(command, links_folder(home) / f"{name}.log", env, with_parent=with_parent)


def _key(client: Client, name: str, *, is_new: bool) -> str:
    """A new key; older ones become invalid."""
    return (
        str(client.add_endpoint(name, "local")["key"]) if is_new else client.new_endpoint_key(name)
    )


def _pair_here(
    client: Client, endpoint: Endpoint, command: list[str], env: Mapping[str, str]
) -> None:
    """Pair this machine unless it is paired. Whoever runs this command is the owner, so it is confirmed too."""
    if (Path(env["DIAMOND_KEEP"]) / "agent.json").exists():
        return
    if endpoint.host not in ("", socket.gethostname()):
        raise Conflict(
            f"{endpoint.name} is on {endpoint.host}, not on this machine",
            f"Run there: {endpoint.revive}",
        )
    code = str(client.new_pairing_code(endpoint.name)["pairing_code"])
    pairing = [*command, "pair", "--url", client.url, "--no-run"]
    done = subprocess.run(pairing, input=code.encode(), env=env, capture_output=True, check=False)
    if done.returncode:
        raise Conflict("The pairing failed: " + done.stderr.decode(errors="replace").strip())
    client.confirm_endpoint(endpoint.name)


def agent_environment(home: Path, name: str) -> dict[str, str]:
    """Agents of this machine have their folders below $DIAMOND_HOME."""
    keep = home / "agents" / name
    given = {key: value for key, value in os.environ.items() if key != "DIAMOND_TOKEN"}
    return {"DIAMOND_WORK": str(keep / "work"), **given, "DIAMOND_KEEP": str(keep)}


def wait_until_online(
    client: Client, name: str, is_alive: Callable[[], bool], seconds: float = 20
) -> bool:
    """Wait until the endpoint is online; False if it was not in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and is_alive():
        if client.endpoint(name).state == "online":
            return True
        time.sleep(0.05)
    return False


def log_tail(log: Path, lines: int = 5) -> str:
    try:
        text = log.read_text(errors="replace")
    except OSError:
        return "its log is empty"
    return " | ".join(text.strip().splitlines()[-lines:]) or "its log is empty"


def _start(
    command: list[str],
    log: Path,
    env: Mapping[str, str] | None = None,
    *,
    with_parent: bool = False,
) -> subprocess.Popen[bytes]:
    """`with_parent`: its standard input closes when this process ends, even by SIGKILL, and it ends then too."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as out:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE if with_parent else subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            env=env,
            start_new_session=True,
        )
