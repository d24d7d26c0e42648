"""Transfers, and data from elsewhere, on the site's data-transfer node: the same work, by a process that ssh starts there.

The node sees the same file systems. It gets the address and key of the service on its standard input and ends when that closes,
so that nothing outlives the agent. Where it cannot be reached, the agent does the work itself.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from diamond.agent.data.by_ssh import ssh_command
from diamond.agent.data.carriers import WayFailed
from diamond.agent.folders import Folders
from diamond.agent.link.carriers import HttpLink, Link, LinkDown
from diamond.agent.site.presence import own_file
from diamond.core.data_commands import DataCommand, data_act
from diamond.core.errors import Cancelled, DiamondError, error_classes

log = logging.getLogger(__name__)

STARTED = b"diamond: at work\n"
LOOK_SECONDS = 0.2
GRACE_SECONDS = 2.0
AWAY_SECONDS = 600.0
"""A node that could not be reached is left alone for this long."""


class NodeAway(Exception):
    """The node cannot be used now: the agent does the work itself."""


@dataclass
class TransferNode:
    folders: Folders
    link: Link
    _away_until: float = field(default=0.0)

    def run(self, host: str, command: DataCommand, cancelled: Callable[[], bool]) -> None:
        """Carry out a command there. Raises `NodeAway` before anything began; else as the command itself would."""
        python, program = own_file()
        if not isinstance(self.link, HttpLink) or not program:
            raise NodeAway("the agent is reached by ssh, or has no file of its own")
        if time.monotonic() < self._away_until:
            raise NodeAway("it could not be reached a while ago")
        words = [python, program, "data-work"]
        try:
            child = self._start([*ssh_command(host), shlex.join(words)])
            self._hand_over(child, command)
        except (OSError, WayFailed) as error:
            raise self._away(host, str(error)) from None
        try:
            self._follow(child, host, cancelled)
        finally:
            _end(child)

    def _start(self, words: list[str]) -> subprocess.Popen[bytes]:
        pipe = subprocess.PIPE
        return subprocess.Popen(
            words, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, start_new_session=True
        )

    def _hand_over(self, child: subprocess.Popen[bytes], command: DataCommand) -> None:
        assert isinstance(self.link, HttpLink) and child.stdin is not None
        job = {
            "url": self.link.url,
            "key": self.link.key,
            "generation": self.link.generation,
            "folders": self.folders.as_data(),
            "variables": {n: v for n, v in os.environ.items() if n in PASSED},
            "command": {"type": "data", "act": data_act(command), **asdict(command)},
        }
        child.stdin.write(json.dumps(job).encode() + b"\n")
        child.stdin.flush()

    def _follow(
        self, child: subprocess.Popen[bytes], host: str, cancelled: Callable[[], bool]
    ) -> None:
        assert child.stdout is not None
        said: list[bytes] = []
        reading = threading.Thread(target=lambda: said.extend(child.stdout or ()), daemon=True)
        reading.start()
        while reading.is_alive():
            if cancelled():
                raise Cancelled("the transfer was cancelled")
            reading.join(LOOK_SECONDS)
        child.wait()
        if STARTED not in said:
            raise self._away(host, "nothing was started there")
        _raise_what_it_said(said[-1], host)

    def _away(self, host: str, why: str) -> NodeAway:
        self._away_until = time.monotonic() + AWAY_SECONDS
        return NodeAway(f"{host}: {why}")


PASSED = ("DIAMOND_SSH", "SSL_CERT_FILE", "https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY")


def main() -> int:
    """`agent.pyz data-work`: a job on standard input, whose end ends this process too."""
    from diamond.agent.data.setup import DataSetup
    from diamond.agent.data.work import assemble_data_work
    from diamond.agent.guard.policy import Policy
    from diamond.agent.site.profile import load_profile
    from diamond.core.protocol import read_command
    from diamond.schedulers.registry import load_scheduler

    job: dict[str, Any] = json.loads(sys.stdin.buffer.readline())
    os.environ.update(job["variables"])
    folders = Folders(**{name: Path(path) for name, path in job["folders"].items()})
    link = HttpLink(job["url"], job["key"])
    link.act_as(int(job["generation"]))
    sys.stdout.buffer.write(STARTED)
    sys.stdout.buffer.flush()
    ended = threading.Event()
    threading.Thread(target=_end_with_input, args=[ended], daemon=True).start()
    setup = DataSetup(folders, Policy(folders.keep), lambda: load_profile(folders))
    scheduler = load_scheduler("local", folders.work / "schedulers" / "transfer-node")
    work = assemble_data_work(setup, link, scheduler, threading.Event())
    result: dict[str, str] = {}
    try:
        work.act(read_command(job["command"]), ended.is_set)  # type: ignore[arg-type]
    except LinkDown as error:
        result = {"down": str(error)}
    except DiamondError as error:
        result = {"code": error.code, "message": error.message, "hint": error.hint}
    except Exception as error:
        result = {"code": "internal", "message": f"{type(error).__name__}: {error}", "hint": ""}
    print(json.dumps(result), flush=True)
    return 0


def _end_with_input(ended: threading.Event) -> None:
    """Nothing outlives the agent: a process that fetches from a source is ended first."""
    while sys.stdin.buffer.read(1 << 16):
        continue
    ended.set()
    time.sleep(GRACE_SECONDS)
    os._exit(1)


def _raise_what_it_said(line: bytes, host: str) -> None:
    try:
        said = json.loads(line)
    except ValueError:
        raise LinkDown(f"the work on {host} ended before it was done") from None
    if said.get("down"):
        raise LinkDown(str(said["down"]))
    if said.get("code"):
        kind = error_classes().get(str(said["code"]), DiamondError)
        raise kind(str(said["message"]), str(said["hint"]))


def _end(child: subprocess.Popen[bytes]) -> None:
    if child.stdin is not None:
        with contextlib.suppress(OSError):
            child.stdin.close()
    if child.poll() is None:
        with contextlib.suppress(OSError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
