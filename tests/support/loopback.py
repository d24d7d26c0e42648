"""An ssh daemon on loopback for this account alone: another machine, as far as ssh can tell."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.service import free_port
from support.waiting import wait_for

SSHD = Path("/usr/sbin/sshd")


@dataclass(frozen=True)
class LoopbackSsh:
    port: int
    command: str
    """The words of an ssh client that gets in."""
    log: Path


@contextmanager
def loopback_ssh(folder: Path) -> Iterator[LoopbackSsh]:
    if not SSHD.exists() or os.geteuid():
        pytest.skip("an ssh daemon of its own needs sshd and root")
    place, port = folder / "ssh", free_port()
    place.mkdir(mode=0o700)
    for name in ("host", "own"):
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(place / name)]
        subprocess.run(words, check=True)
    (place / "authorized").write_text((place / "own.pub").read_text())
    Path("/run/sshd").mkdir(exist_ok=True)
    options = [f"HostKey={place / 'host'}", f"AuthorizedKeysFile={place / 'authorized'}"]
    options += ["StrictModes=no", "UsePAM=no", "PermitRootLogin=yes", "ListenAddress=127.0.0.1"]
    options += ["AllowUsers=root", "LogLevel=VERBOSE"]
    words = [str(SSHD), "-D", "-e", "-f", "/dev/null", "-p", str(port)]
    with (folder / "sshd.log").open("wb") as log:
        daemon = subprocess.Popen(
            [*words, *(f"-o{one}" for one in options)], stdout=log, stderr=log
        )
    try:
        wait_for(lambda: _listens(port), what="sshd")
        quiet = "-oStrictHostKeyChecking=no -oUserKnownHostsFile=/dev/null -oLogLevel=ERROR"
        client = f"ssh -F /dev/null -p {port} -i {place / 'own'} {quiet}"
        yield LoopbackSsh(port, client, folder / "sshd.log")
    finally:
        daemon.kill()
        daemon.wait()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
