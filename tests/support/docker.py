"""A docker daemon for the tests: Debian's, unpacked under one folder, so that nothing is installed or started automatically."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.waiting import wait_for

PREFIX = Path("/opt/diamond-docker")
PACKAGES = ("docker.io", "containerd")
QUIET = ("--iptables=false", "--ip6tables=false", "--bridge=none")
"""Containers share the machine's network, which is not changed."""


def install_docker() -> str:
    """Install daemon and client into PREFIX; returns why that failed, or ''."""
    try:
        with tempfile.TemporaryDirectory(prefix="docker-") as folder:
            _run(["apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download", *PACKAGES], folder)
            for package in Path(folder).glob("*.deb"):
                _run(["dpkg-deb", "-x", str(package), "root"], folder)
            shutil.rmtree(PREFIX, ignore_errors=True)
            shutil.move(str(Path(folder) / "root" / "usr"), PREFIX)
    except (OSError, subprocess.SubprocessError) as error:
        return f"{type(error).__name__}: {error}"
    return ""


@contextmanager
def docker_daemon(folder: Path, group: str) -> Iterator[dict[str, str]]:
    """A daemon that a Unix group can use; yields the variables for its client."""
    path = os.pathsep.join([str(PREFIX / "sbin"), str(PREFIX / "bin"), os.environ["PATH"]])
    if os.geteuid() or not shutil.which("dockerd", path=path):
        pytest.skip("docker is not tested: no daemon is available here")
    socket = folder / "socket"
    words = ["dockerd", "--host", f"unix://{socket}", "--group", group, *QUIET]
    for name in ("data-root", "exec-root", "pidfile"):
        words += [f"--{name}", str(folder / name)]
    words += ["--exec-opt", "native.cgroupdriver=cgroupfs"]
    with (folder / "log").open("wb") as log:
        daemon = subprocess.Popen(words, stdout=log, stderr=log, env={**os.environ, "PATH": path})
    try:
        wait_for(lambda: socket.exists() or daemon.poll() is not None, what="docker's daemon")
        if daemon.poll() is not None:
            pytest.skip(f"docker is not tested: {(folder / 'log').read_text()[-300:]}")
        client = f"/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:{PREFIX / 'bin'}"
        yield {"DOCKER_HOST": f"unix://{socket}", "PATH": client}
    finally:
        daemon.terminate()
        daemon.wait(60)


def _run(words: list[str], folder: str) -> None:
    subprocess.run(words, cwd=folder, check=True, capture_output=True, timeout=300)
