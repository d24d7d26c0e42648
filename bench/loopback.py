"""An ssh daemon on loopback for this account: what rsync and scp go through."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.processes import free_port, running
from bench.waiting import wait_for


@contextmanager
def loopback_ssh(folder: Path) -> Iterator[str]:
    """The words of an ssh client for `rsync -e`."""
    place, port = folder / "ssh", free_port()
    place.mkdir(mode=0o700)
    for name in ("host", "own"):
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(place / name)]
        subprocess.run(words, check=True)
    (place / "authorized").write_text((place / "own.pub").read_text())
    Path("/run/sshd").mkdir(exist_ok=True)
    options = [f"HostKey={place / 'host'}", f"AuthorizedKeysFile={place / 'authorized'}"]
    options += ["StrictModes=no", "UsePAM=no", "PermitRootLogin=yes", "ListenAddress=127.0.0.1"]
    words = ["/usr/sbin/sshd", "-D", "-e", "-f", "/dev/null", "-p", str(port)]
    words += [f"-o{one}" for one in options]
    with running(words, env=os.environ, log=folder / "sshd.log"):
        wait_for(lambda: _listens(port), within=30)
        quiet = "-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR"
        yield f"ssh -p {port} -i {place / 'own'} {quiet}"


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
