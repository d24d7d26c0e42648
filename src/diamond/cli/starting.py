"""`diamond up` and `diamond open`."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
import webbrowser
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from diamond.cli.machine import (
    await_online,
    await_service,
    last_words,
    make_home,
    read_config,
    running_client,
    start_agent,
    start_service,
)
from diamond.cli.options import Json
from diamond.cli.output import print_json, say
from diamond.cli.waiting import wait_for
from diamond.cli.words import short
from diamond.core.errors import DiamondError, ServiceUnreachable
from diamond.sdk.client import Client, read_spec

app = typer.Typer(rich_markup_mode=None)
LOCAL = "local"
"""The endpoint of this machine itself."""
STALE = 3
"""An agent's exit code when another took over."""
PAUSES = (0.5, 1.0, 2.0, 5.0, 10.0)
QUICK_SECONDS = 60.0
"""A process that dies within this has died quickly."""
MOST_QUICK_DEATHS = 5


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
        bool, typer.Option("--agent/--no-agent", help="Whether this machine is an endpoint too.")
    ] = True,
    first: Annotated[
        str | None, typer.Option("--first", metavar="SPEC", help="Train this as soon as it is up.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Start Diamond on this machine and serve until Ctrl-C; running jobs go on after that."""
    home = make_home()
    settings = read_config(config)
    if port is not None:
        settings["port"] = port
    client = running_client(home)
    if client is not None:
        say(f"Diamond is already up at {client.url}")
        _tell(client, as_json=as_json)
        if first:
            _train_first(client, first)
        return
    signal.signal(signal.SIGTERM, _interrupt)
    supervisor = _Supervisor(home, settings)
    try:
        client = await_service(home, supervisor.begin_service())
        if agent:
            supervisor.begin_agent(client)
        _tell(client, as_json=as_json)
        if first:
            threading.Thread(target=_train_first, args=(client, first), daemon=True).start()
        supervisor.watch(client)
    except KeyboardInterrupt:
        say("Diamond stops here; jobs go on, and `diamond up` finds them again.")
    finally:
        supervisor.end()


@app.command(name="open")
def open_page(
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Whether to open it at once.")
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


def _tell(client: Client, *, as_json: bool) -> None:
    link = client.open_link()
    if as_json:
        print_json({"url": client.url, "open": link})
    else:
        print(f"Diamond is up at {client.url}")
        print(f"Open it in a browser (once, within ten minutes): {link}")
        print("First job, from another terminal: diamond run --wait -- echo hello")
    sys.stdout.flush()


def _train_first(client: Client, spec: str) -> None:
    """A first model, followed to its end on this terminal; Diamond serves on whatever comes of it."""
    try:
        fields, folder = read_spec(spec)
        job = client.run(fields, folder=folder, say=say)
        code = wait_for(client, job)
    except DiamondError as error:
        say(f"{error.message}\n{error.hint}".strip())
        return
    say(f"Its numbers: diamond show {short(job.task.id)}" if code == 0 else "")
    say(f"Diamond goes on serving at {client.url}; Ctrl-C stops it. Sign in again: diamond open")


@dataclass
class _Pauses:
    """When a process that died may start again: later each time, unless it had lived for a while."""

    deaths: int = 0
    due: float = 0.0
    _started: float = field(default_factory=time.monotonic)

    def died(self) -> None:
        if time.monotonic() - self._started > QUICK_SECONDS:
            self.deaths = 0
        self.due = time.monotonic() + PAUSES[min(self.deaths, len(PAUSES) - 1)]
        self.deaths += 1

    def is_over(self) -> bool:
        return time.monotonic() >= self.due

    def starts(self) -> None:
        self.due, self._started = 0.0, time.monotonic()


class _Supervisor:
    """Keeps the service and this machine's agent alive."""

    def __init__(self, home: Path, settings: Mapping[str, Any]) -> None:
        self._home, self._settings = home, settings
        self._service: subprocess.Popen[bytes] | None = None
        self._agent: subprocess.Popen[bytes] | None = None
        self._service_pauses, self._agent_pauses = _Pauses(), _Pauses()
        self._service_log = home / "service.log"
        self._log = home / "endpoints" / f"{LOCAL}.log"

    def begin_service(self) -> subprocess.Popen[bytes]:
        self._service_pauses.starts()
        self._said = self._service_log.stat().st_size if self._service_log.exists() else 0
        self._service = start_service(self._home, self._settings)
        return self._service

    def begin_agent(self, client: Client) -> None:
        self._agent_pauses.starts()
        self._agent = start_agent(client, self._home, LOCAL, is_this_machine=True)
        if not await_online(client, LOCAL, lambda: self._lives(self._agent)):
            say(f"The agent of this machine is not online yet: {last_words(self._log)}")

    def watch(self, client: Client) -> None:
        """Until Ctrl-C; raises when the service will not stay up."""
        while True:
            self._tend_service()
            self._tend_agent(client)
            time.sleep(0.3)

    def end(self) -> None:
        for process in (self._agent, self._service):
            if process is None or process.poll() is not None:
                continue
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _tend_service(self) -> None:
        if self._lives(self._service):
            return
        if not self._service_pauses.due:
            self._service_pauses.died()
            self._tell_death_of_service()
        elif self._service_pauses.is_over():
            self.begin_service()

    def _tell_death_of_service(self) -> None:
        assert self._service is not None
        ending = f"The service ended with {self._service.returncode}: {self._words_of_service()}"
        if self._service_pauses.deaths >= MOST_QUICK_DEATHS:
            raise ServiceUnreachable(
                f"{ending}. It was started {MOST_QUICK_DEATHS} times and does not stay up",
                f"All it said is in {self._service_log}. Start it again: diamond up",
            )
        say(f"{ending}; starting it again")

    def _words_of_service(self) -> str:
        """Its last lines since this start; what an earlier one said would mislead."""
        with contextlib.suppress(OSError), self._service_log.open("rb") as log:
            log.seek(self._said)
            lines = log.read().decode(errors="replace").strip().splitlines()
            return " | ".join(lines[-5:]) or "it said nothing"
        return "it said nothing"

    def _tend_agent(self, client: Client) -> None:
        if self._agent is None or self._lives(self._agent):
            return
        if self._agent.returncode == STALE:
            say("Another agent serves this machine now.")
            self._agent = None
        elif not self._agent_pauses.due:
            self._agent_pauses.died()
            say(
                f"The agent ended with {self._agent.returncode}: {last_words(self._log)}; starting it again"
            )
        elif self._agent_pauses.is_over():
            self._agent_pauses.starts()
            with contextlib.suppress(DiamondError):
                self._agent = start_agent(client, self._home, LOCAL, is_this_machine=True)

    @staticmethod
    def _lives(process: subprocess.Popen[bytes] | None) -> bool:
        return process is not None and process.poll() is None
