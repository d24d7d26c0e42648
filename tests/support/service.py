"""The real service as a separate process, on a free port, in its own folder."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from support.http import Client
from support.warm_services import Forked, fork_service

SOURCE = Path(__file__).parents[2] / "src"
START_SECONDS = 60.0
Process = subprocess.Popen[bytes] | Forked


@dataclass
class RunningService:
    """`url` has no path; `token` is the local user's."""

    url: str
    token: str
    home: Path
    port: int
    process: Process
    log: Path
    database_url: str = ""

    @property
    def client(self) -> Client:
        return Client(self.url, self.token)

    def stop(self) -> None:
        """Ask it to end, as Ctrl-C does."""
        self._end(signal.SIGINT)

    def kill(self) -> None:
        """Like a crash: no clean-up."""
        self._end(signal.SIGKILL)

    def _end(self, number: int) -> None:
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(15)


@contextmanager
def running_service(
    home: Path,
    *,
    port: int = 0,
    database_url: str = "",
    public_url: str = "",
    people: Path | None = None,
    more: Sequence[str] = (),
) -> Iterator[RunningService]:
    service = start_service(
        home, port=port, database_url=database_url, public_url=public_url, people=people, more=more
    )
    try:
        yield service
    finally:
        service.stop()


def start_service(
    home: Path,
    *,
    port: int = 0,
    database_url: str = "",
    public_url: str = "",
    people: Path | None = None,
    more: Sequence[str] = (),
    source: Path = SOURCE,
) -> RunningService:
    """Returns when it answers; `home` may contain an earlier service's state. `people`: a diamond.toml; `more`: further arguments; `source`: of another version."""
    port = port or free_port()
    home.mkdir(parents=True, exist_ok=True)
    log = home / "service.log"
    words = ["--home", str(home), "--port", str(port)]
    words += ["--database-url", database_url] if database_url else []
    words += ["--public-url", public_url] if public_url else []
    words += [*(["--people", str(people)] if people else []), *more]
    known = log.stat().st_size if log.exists() else 0
    process: Process
    # A preloaded library, such as another clock, needs a program that starts anew.
    if source == SOURCE and "LD_PRELOAD" not in os.environ:
        process = fork_service(words, _environment(source), log)
    else:
        words = [sys.executable, "-m", "diamond.service", *words]
        with log.open("ab") as out:
            process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=_environment(source)
            )
    _wait_until_ready(process, log, known)
    told = json.loads((home / "token.json").read_text())
    return RunningService(told["url"], told["token"], home, port, process, log, database_url)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _environment(source: Path) -> dict[str, str]:
    path = os.pathsep.join(filter(None, [str(source), os.environ.get("PYTHONPATH", "")]))
    return {**os.environ, "PYTHONPATH": path}


def _wait_until_ready(process: Process, log: Path, known: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not (log.exists() and b"ready " in log.read_bytes()[known:]):
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            raise AssertionError(f"the service did not start:\n{log.read_text()[known:]}")
        time.sleep(0.02)
