"""`diamond doctor`: checks each part of the set-up and says how to fix problems."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path

import typer

from diamond import __version__
from diamond.cli.endpoint_status import endpoint_next_step
from diamond.cli.format import duration, time_ago
from diamond.cli.options import Json
from diamond.cli.output import color, print_json
from diamond.core.errors import DiamondError, NotSignedIn
from diamond.core.units import show_bytes
from diamond.sdk.client import Client
from diamond.sdk.client_config import diamond_home, find_address, saved_address
from diamond.sdk.models import Endpoint
from diamond.sdk.transport import API

app = typer.Typer(rich_markup_mode=None)

LOW_DISK_BYTES = 2 * 2**30
SKEW_SECONDS = 30
MARKS = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "broken": ("✗", "red")}


@dataclass(frozen=True)
class Finding:
    what: str
    verdict: str
    """ok, warning or broken."""
    words: str
    next_step: str = ""


@app.command()
def doctor(as_json: Json = False) -> None:
    """Check this set-up and say how to fix problems."""
    findings = list(examine())
    broken = any(finding.verdict == "broken" for finding in findings)
    if as_json:
        print_json(
            {"ok": not broken, "items": [asdict(finding) for finding in findings], "next": None}
        )
    else:
        for finding in findings:
            _print(finding)
    raise typer.Exit(1 if broken else 0)


def examine() -> Iterator[Finding]:
    """This machine first, then the service, then its endpoints."""
    for check in (_python, home_finding, _disk, _uv, _ssh):
        yield _guarded(check)
    client, finding = _service()
    yield finding
    if client is None:
        return
    yield from _service_facts(client)


def _print(finding: Finding) -> None:
    mark, shade = MARKS[finding.verdict]
    print(f"{color(mark, shade)} {finding.what}: {finding.words}")
    if finding.next_step:
        print(f"    {finding.next_step}")


def _guarded(check: Callable[[], Finding]) -> Finding:
    try:
        return check()
    except OSError as error:
        return Finding(check.__name__.strip("_"), "broken", str(error))


def _python() -> Finding:
    text = f"{sys.version.split()[0]} at {sys.executable}, diamond {__version__}"
    return Finding("Python", "ok", text)


def home_finding() -> Finding:
    home = diamond_home()
    if not home.exists():
        return Finding("Home", "warning", f"{home} does not exist yet", "`diamond up` creates it.")
    if not home.is_dir() or not os.access(home, os.W_OK):
        return Finding(
            "Home",
            "broken",
            f"{home} is not writable",
            "Set DIAMOND_HOME to a folder you can write to.",
        )
    token = home / "token.json"
    if token.exists() and token.stat().st_mode & 0o077:
        step = f"Protect your token: chmod 600 {token}"
        return Finding("Home", "warning", f"{token} is readable by others", step)
    return Finding("Home", "ok", str(home))


def _disk() -> Finding:
    folder = next(p for p in (diamond_home(), *diamond_home().parents) if p.exists())
    free = shutil.disk_usage(folder).free
    text = f"{show_bytes(free)} free in {folder}"
    if free < LOW_DISK_BYTES:
        return Finding("Disk", "warning", text, "Free some space: diamond clean")
    return Finding("Disk", "ok", text)


def _uv() -> Finding:
    beside = Path(sys.executable).with_name("uv")
    program = str(beside) if beside.exists() else shutil.which("uv")
    if program is None:
        return Finding(
            "uv",
            "warning",
            "not found",
            "pip is used instead, which is slower. Install uv: pip install uv",
        )
    return Finding("uv", "ok", program)


def _ssh() -> Finding:
    command = os.environ.get("DIAMOND_SSH") or "ssh"
    program = shutil.which(command.split()[0])
    if program is None:
        return Finding(
            "ssh",
            "warning",
            f"{command} was not found",
            "Needed only for: diamond endpoint add NAME --ssh HOST",
        )
    done = subprocess.run([program, "-V"], capture_output=True, text=True, check=False, timeout=10)
    return Finding("ssh", "ok", (done.stderr or done.stdout).strip())


def _service() -> tuple[Client | None, Finding]:
    try:
        address = find_address()
        client = Client()
        client.health()
    except NotSignedIn as error:
        return None, Finding("Token", "broken", error.message, error.hint)
    except DiamondError as error:
        return None, Finding("Service", "broken", error.message, error.hint + _last_log())
    return client, Finding("Service", "ok", f"answers at {address.url}")


def _last_log() -> str:
    log = diamond_home() / "service.log"
    if not log.exists():
        return ""
    lines = log.read_text(errors="replace").strip().splitlines()
    return f" Last line of its log: {lines[-1]}" if lines else ""


def _service_facts(client: Client) -> Iterator[Finding]:
    yield _version(client)
    yield _clock(client)
    try:
        me = client.me()
    except DiamondError as error:
        saved = saved_address(diamond_home())
        where = "DIAMOND_TOKEN" if os.environ.get("DIAMOND_TOKEN") else "the saved token"
        hint = f"Check {where}" + ("; unset DIAMOND_TOKEN to use the saved one." if saved else ".")
        yield Finding("Token", "broken", error.message, hint)
        return
    yield Finding("Token", "ok", f"you are {me.get('name')}")
    endpoints = client.endpoints()
    if not endpoints:
        yield Finding(
            "Endpoints",
            "warning",
            "none",
            "Add one: diamond endpoint add NAME --ssh HOST",
        )
    for endpoint in endpoints:
        yield _endpoint(endpoint)


def _version(client: Client) -> Finding:
    theirs = str(client.health().get("version", "?"))
    if theirs.split(".")[:2] == __version__.split(".")[:2]:
        return Finding("Version", "ok", f"service {theirs}")
    text = f"the service is {theirs}, this command {__version__}"
    return Finding(
        "Version", "warning", text, "Install the same version of both, then restart: diamond up"
    )


def _clock(client: Client) -> Finding:
    answer = client.transport.call("GET", f"{API}/health")
    date = answer.headers.get("date")
    if not date:
        return Finding("Clock", "ok", "the service does not report its time")
    skew = abs(time.time() - parsedate_to_datetime(date).timestamp())
    if skew > SKEW_SECONDS:
        text = f"this machine and the service differ by {duration(skew)}"
        return Finding(
            "Clock", "warning", text, "Times will look wrong; synchronize both with NTP."
        )
    return Finding("Clock", "ok", "this machine and the service agree")


def _endpoint(endpoint: Endpoint) -> Finding:
    what = f"Endpoint {endpoint.name}"
    if endpoint.state != "online":
        text = f"{endpoint.state}, last seen {time_ago(endpoint.last_seen) or 'never'}"
        return Finding(what, "warning", text, endpoint_next_step(endpoint))
    if endpoint.outdated:
        return Finding(what, "warning", "online, but its agent is too old", endpoint.outdated)
    theirs = endpoint.agent_version
    if theirs and theirs.split(".")[:2] != __version__.split(".")[:2]:
        step = f"Restart its agent: diamond endpoint connect {endpoint.name}"
        return Finding(what, "warning", f"online, but its agent is {theirs}", step)
    return Finding(what, "ok", f"online as {endpoint.user}@{endpoint.host}")
