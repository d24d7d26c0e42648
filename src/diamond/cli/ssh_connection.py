"""One ssh connection to an agent: with the terminal until it is signed in, then in the background."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, TextIO

from diamond.cli.output import say
from diamond.cli.saved_links import SavedLink, bridge_pid, links_folder, lock_pid_file
from diamond.cli.ssh_bootstrap import NO_PYTHON, bootstrap_input, ssh_command
from diamond.cli.ssh_bridge import Bridge
from diamond.core.errors import DiamondError, EndpointAway
from diamond.sdk.client import Client
from diamond.sdk.client_config import ServiceAddress
from diamond.sdk.transport import Response

READY = b"ready\n"
HELLO_SECONDS = 90.0
"""From the agent's start to its first word at the service."""


def connect(
    home: Path, link: SavedLink, *, detach: bool, env: Mapping[str, str] = os.environ
) -> None:
    """Return when the agent has been welcomed by the service; the bridge then lives on by itself.

    Without `detach` it stays here until the connection ends. Raises `EndpointAway` with ssh's words.
    """
    running = bridge_pid(home, link.name)
    if running:
        _end_bridge(running, home, link.name)
    agent = Client().agent_file()
    if not detach:
        _Session(home, link, agent, env).run(
            lambda: say(f"{link.name} is connected; Ctrl-C ends it")
        )
        return
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _live(_Session(home, link, agent, env), writing)
    os.close(writing)
    _await_ready(child, reading)


def _end_bridge(pid: int, home: Path, name: str) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)
    end = time.monotonic() + 10
    while bridge_pid(home, name) and time.monotonic() < end:
        time.sleep(0.05)


def stop_bridge(home: Path, name: str) -> None:
    """End the bridge of an endpoint, if there is one."""
    running = bridge_pid(home, name)
    if running:
        _end_bridge(running, home, name)


def _live(session: _Session, writing: int) -> None:
    """The child's whole life; it never returns."""

    def ready() -> None:
        session.leave_terminal()
        os.write(writing, READY)
        os.close(writing)

    try:
        session.run(ready)
    except DiamondError as error:
        if not session.is_ready:
            os.write(writing, f"{error.message}\n{error.hint}".encode())
        os._exit(1)
    except BaseException:
        os._exit(1)
    os._exit(0)


def _await_ready(child: int, reading: int) -> None:
    try:
        with os.fdopen(reading, "rb") as words:
            said = words.read()
    except KeyboardInterrupt:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGTERM)
        raise
    if said != READY:
        os.waitpid(child, 0)
        message, _, hint = said.decode(errors="replace").partition("\n")
        raise EndpointAway(message or "The connection ended before the agent answered", hint)


class _Session:
    """ssh, the agent at its far end, and the bridge between it and the service."""

    def __init__(self, home: Path, link: SavedLink, agent: bytes, env: Mapping[str, str]) -> None:
        self.is_ready = False
        self._home, self._link, self._agent, self._env = home, link, agent, env
        self._words: deque[str] = deque(maxlen=8)
        self._echo = True
        self._refused = ""
        self._log: TextIO = (links_folder(home) / f"{link.name}.log").open("a")

    def run(self, ready: Callable[[], None]) -> None:
        """Until the connection ends; raises if that was before the agent was welcomed."""
        held = lock_pid_file(self._home, self._link.name)
        self._ready = ready
        # The shell's hang-up must not end ssh once the terminal is free; ssh respects an ignored one.
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, lambda *_: self._ssh.terminate())
        self._ssh = self._start()
        assert self._ssh.stdin and self._ssh.stdout and self._ssh.stderr
        self._ear = threading.Thread(target=self._listen, args=(self._ssh.stderr,), daemon=True)
        self._ear.start()
        bridge = self._bridge(self._ssh.stdout, self._ssh.stdin)
        try:
            self._carry(bridge, self._ssh.stdin)
        except KeyboardInterrupt:
            self._ssh.terminate()
        self._finish(bridge)
        del held

    def leave_terminal(self) -> None:
        """Signed in: nothing more will be asked, so the terminal is given back."""
        self._echo = False
        with contextlib.suppress(PermissionError):
            os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1):
            os.dup2(nothing, number)
        os.dup2(self._log.fileno(), 2)

    def _start(self) -> subprocess.Popen[bytes]:
        link = self._link
        words = ssh_command(
            link.ssh_host,
            ssh=self._env.get("DIAMOND_SSH") or "ssh",
            config=link.ssh_config,
            options=link.ssh_options,
            python=link.python,
        )
        pipe = subprocess.PIPE
        try:
            return subprocess.Popen(
                words,
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                start_new_session=not sys.stdin.isatty(),
            )
        except OSError as error:
            raise EndpointAway(
                f"{words[0]} could not be started: {error.strerror}",
                "Install an ssh client, or name yours in DIAMOND_SSH.",
            ) from None

    def _bridge(self, source: IO[bytes], target: IO[bytes]) -> Bridge:
        address = ServiceAddress(self._link.url, self._link.key)
        return Bridge(address, source, target, on_hello=self._hello, say=self._note)

    def _carry(self, bridge: Bridge, target: IO[bytes]) -> None:
        try:
            target.write(bootstrap_input(self._agent, self._link.endpoint))
            target.flush()
        except OSError:
            return  # ssh has ended; its own words say why
        if not bridge.wait_for_agent():
            return
        timer = threading.Timer(HELLO_SECONDS, self._too_late)
        timer.daemon = True
        timer.start()
        bridge.serve()
        timer.cancel()

    def _hello(self, answer: Response) -> None:
        if answer.status >= 400:
            self._refused = answer.body.decode(errors="replace")[:300]
            if answer.status < 500:
                self._ssh.terminate()
        elif not self.is_ready:
            self.is_ready = True
            self._note(f"connected to {self._link.ssh_host}")
            self._ready()

    def _too_late(self) -> None:
        if not self.is_ready:
            self._refused = self._refused or "the agent did not answer in time"
            self._ssh.terminate()

    def _finish(self, bridge: Bridge) -> None:
        with contextlib.suppress(OSError):
            self._ssh.stdin and self._ssh.stdin.close()
        code = self._ssh.wait()
        self._ear.join(2)  # a ControlMaster in the background may hold the pipe open
        words = self._refused or " ".join(self._words) or f"ssh ended with {code}"
        self._note(f"the connection ended: {words}")
        if self.is_ready:
            if not bridge.is_stale:
                self._say_away()
            return
        hint = "Check it by hand: ssh " + self._link.ssh_host
        if code == NO_PYTHON:
            hint = "Name one that is there: diamond endpoint add … --python PATH"
        raise EndpointAway(f"No agent could be started on {self._link.ssh_host}: {words}", hint)

    def _say_away(self) -> None:
        try:
            Client().endpoint_away(self._link.name)
        except DiamondError as error:
            self._note(f"the service was not told: {error.message}")

    def _listen(self, stderr: IO[bytes]) -> None:
        """ssh's own words: to the terminal while a person looks, always to the log."""
        for line in stderr:
            text = line.decode(errors="replace").rstrip()
            self._words.append(text)
            if self._echo:
                say(text)
            self._note(text)

    def _note(self, words: str) -> None:
        self._log.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {words}\n")
        self._log.flush()
