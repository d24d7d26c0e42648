"""One ssh connection to an agent: uses the terminal until signed in, then runs in the background."""

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
"""From the start of the agent to its first call to the service."""


def connect(
    home: Path, link: SavedLink, *, detach: bool, env: Mapping[str, str] = os.environ
) -> None:
    """Return once the service has accepted the agent; the bridge keeps running in the background.

    Without `detach`, stay here until the connection ends. Raises `EndpointAway` with the output of ssh.
    """
    running = bridge_pid(home, link.name)
    if running:
        _end_bridge(running, home, link.name)
    agent = Client().agent_file()
    if not detach:
        _Session(home, link, agent, env).run(
            lambda: say(f"{link.name} is connected. Ctrl-C disconnects.")
        )
        return
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _run_in_child(_Session(home, link, agent, env), writing)
    os.close(writing)
    _wait_until_ready(child, reading)


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


def _run_in_child(session: _Session, writing: int) -> None:
    """The body of the child process; never returns."""

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


def _wait_until_ready(child: int, reading: int) -> None:
    try:
        with os.fdopen(reading, "rb") as pipe:
            report = pipe.read()
    except KeyboardInterrupt:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGTERM)
        raise
    if report != READY:
        os.waitpid(child, 0)
        message, _, hint = report.decode(errors="replace").partition("\n")
        raise EndpointAway(message or "The connection ended before the agent answered", hint)


class _Session:
    """ssh, the agent at its far end, and the bridge between it and the service."""

    def __init__(self, home: Path, link: SavedLink, agent: bytes, env: Mapping[str, str]) -> None:
        self.is_ready = False
        self._home, self._link, self._agent, self._env = home, link, agent, env
        self._last_lines: deque[str] = deque(maxlen=8)
        self._echo = True
        self._rejection = ""
        self._log: TextIO = (links_folder(home) / f"{link.name}.log").open("a")

    def run(self, ready: Callable[[], None]) -> None:
        """Run until the connection ends; raises if that was before the service accepted the agent."""
        lock = lock_pid_file(self._home, self._link.name)
        self._ready = ready
        # The shell's SIGHUP must not end ssh once the terminal is free; ssh keeps it ignored.
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, lambda *_: self._ssh.terminate())
        self._ssh = self._start()
        assert self._ssh.stdin and self._ssh.stdout and self._ssh.stderr
        self._stderr_reader = threading.Thread(
            target=self._listen, args=(self._ssh.stderr,), daemon=True
        )
        self._stderr_reader.start()
        bridge = self._bridge(self._ssh.stdout, self._ssh.stdin)
        try:
            self._serve(bridge, self._ssh.stdin)
        except KeyboardInterrupt:
            self._ssh.terminate()
        self._finish(bridge)
        del lock

    def leave_terminal(self) -> None:
        """Signed in, so ssh asks nothing more: give the terminal back."""
        self._echo = False
        with contextlib.suppress(PermissionError):
            os.setsid()
        null = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1):
            os.dup2(null, number)
        os.dup2(self._log.fileno(), 2)

    def _start(self) -> subprocess.Popen[bytes]:
        link = self._link
        command = ssh_command(
            link.ssh_host,
            ssh=self._env.get("DIAMOND_SSH") or "ssh",
            config=link.ssh_config,
            options=link.ssh_options,
            python=link.python,
        )
        pipe = subprocess.PIPE
        try:
            return subprocess.Popen(
                command,
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                start_new_session=not sys.stdin.isatty(),
            )
        except OSError as error:
            raise EndpointAway(
                f"Could not start {command[0]}: {error.strerror}",
                "Install an ssh client, or set DIAMOND_SSH to yours.",
            ) from None

    def _bridge(self, source: IO[bytes], target: IO[bytes]) -> Bridge:
        address = ServiceAddress(self._link.url, self._link.key)
        return Bridge(address, source, target, on_hello=self._hello, say=self._note)

    def _serve(self, bridge: Bridge, target: IO[bytes]) -> None:
        try:
            target.write(bootstrap_input(self._agent, self._link.endpoint))
            target.flush()
        except OSError:
            return  # ssh has ended; its output says why
        if not bridge.wait_for_agent():
            return
        timer = threading.Timer(HELLO_SECONDS, self._too_late)
        timer.daemon = True
        timer.start()
        bridge.serve()
        timer.cancel()

    def _hello(self, response: Response) -> None:
        if response.status >= 400:
            self._rejection = response.body.decode(errors="replace")[:300]
            if response.status < 500:
                self._ssh.terminate()
        elif not self.is_ready:
            self.is_ready = True
            self._note(f"connected to {self._link.ssh_host}")
            self._ready()

    def _too_late(self) -> None:
        if not self.is_ready:
            self._rejection = self._rejection or "the agent did not answer in time"
            self._ssh.terminate()

    def _finish(self, bridge: Bridge) -> None:
        with contextlib.suppress(OSError):
            self._ssh.stdin and self._ssh.stdin.close()
        code = self._ssh.wait()
        self._stderr_reader.join(2)  # a ControlMaster in the background may hold the pipe open
        reason = self._rejection or " ".join(self._last_lines) or f"ssh ended with {code}"
        self._note(f"the connection ended: {reason}")
        if self.is_ready:
            if not bridge.is_stale:
                self._report_offline()
            return
        hint = "Test the connection: ssh " + self._link.ssh_host
        if code == NO_PYTHON:
            hint = "Give the path of a newer Python: diamond endpoint add … --python PATH"
        raise EndpointAway(f"Could not start an agent on {self._link.ssh_host}: {reason}", hint)

    def _report_offline(self) -> None:
        try:
            Client().endpoint_away(self._link.name)
        except DiamondError as error:
            self._note(f"could not report this to the service: {error.message}")

    def _listen(self, stderr: IO[bytes]) -> None:
        """The output of ssh: to the terminal until detached, and always to the log."""
        for line in stderr:
            text = line.decode(errors="replace").rstrip()
            self._last_lines.append(text)
            if self._echo:
                say(text)
            self._note(text)

    def _note(self, message: str) -> None:
        self._log.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {message}\n")
        self._log.flush()
