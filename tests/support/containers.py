"""Container tools for the tests: an ordinary account, a base of two megabytes, and a local registry."""

from __future__ import annotations

import hashlib
import os
import pwd
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from diamond.agent.site.bundle import build_bundle
from diamond.testing.lab.machine import ensure_users
from diamond.testing.runtimes import Account, Bench
from support.apptainer import mirror
from support.docker import docker_daemon

PROGRAMS = {
    "apptainer": ("apptainer", "mksquashfs"),
    "charliecloud": ("ch-run", "ch-image", "mksquashfs", "squashfuse_ll"),
    "podman": ("podman", "runc"),
    "docker": ("runc",),
    "venv": (),
}
CONTAINERS_CONF = """\
[containers]
default_ulimits = ["nofile=20000:20000", "nproc=4096:4096"]
netns = "host"
[engine]
runtime = "runc"
events_logger = "file"
cgroup_manager = "cgroupfs"
"""
"""A machine without systemd, with both cgroup versions, and without permission to raise limits needs all of this."""


@contextmanager
def container_bench(runtime: str, environment: Mapping[str, Any] | None = None) -> Iterator[Bench]:
    """A work folder where alice builds with one runtime; skips with a message if that is not available."""
    skip_without(runtime)
    with alices_folder() as folder, ExitStack() as stack:
        given = environment if environment is not None else {"base": f"rootfs:{busybox(folder)}"}
        account = alice(folder)
        if runtime == "docker":
            account = stack.enter_context(_with_daemon(account, folder / "docker"))
        yield Bench(folder, account, runtime, given)


@contextmanager
def _with_daemon(account: Account, place: Path) -> Iterator[Account]:
    """alice with access to a docker daemon."""
    place.mkdir(mode=0o755)
    with docker_daemon(place, "alice") as variables:
        words = [f"{name}={value}" for name, value in variables.items()]
        yield replace(account, prefix=[*account.prefix, *words])


def skip_without(runtime: str) -> None:
    missing = [program for program in PROGRAMS[runtime] if not shutil.which(program)]
    if missing:
        pytest.skip(f"{runtime} is not tested: {', '.join(missing)} is not available here")
    if os.geteuid():
        pytest.skip("only root can act as another account of the machine")


@contextmanager
def alices_folder() -> Iterator[Path]:
    """Below /tmp, not below pytest's own folder, which only root can enter."""
    ensure_users(["alice"])
    folder = Path(tempfile.mkdtemp(prefix="di-", dir="/tmp"))
    folder.chmod(0o777)
    try:
        yield folder
    finally:
        made = [folder / "work", podmans_run_folder(folder / "work/images/oci")]
        words = ["unshare", "--map-root-user", "--map-auto", "rm", "-rf"]
        _as_alice([*words, *map(str, made)])
        shutil.rmtree(folder, ignore_errors=True)


def podmans_run_folder(storage: Path) -> Path:
    """Where podman keeps a storage folder's run-time state; same name as in `runtimes/podman.py`."""
    mark = hashlib.sha256(str(storage).encode()).hexdigest()[:8]
    return Path("/tmp") / f"diamond-oci-{pwd.getpwnam('alice').pw_uid}-{mark}"


def alice(folder: Path) -> Account:
    """alice with a clean environment, the system's Python and the builder as one file."""
    build_bundle(folder / "builder.pyz")
    conf = folder / "containers.conf"
    conf.write_text(CONTAINERS_CONF)
    variables = {
        "HOME": "/home/alice",
        "USER": "alice",
        "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
        "CONTAINERS_CONF": str(conf),
        "DIAMOND_UV": str(shared_uv(folder)),
        **{name: os.environ[name] for name in _SITE if name in os.environ},
    }
    words = ["runuser", "-u", "alice", "--", "env", "-i"]
    words += [f"{name}={value}" for name, value in variables.items()]
    return Account(words, ["/usr/bin/python3", str(folder / "builder.pyz"), "build"])


_SITE = ("SSL_CERT_FILE", "PIP_CERT", "PIP_FIND_LINKS", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL")


def shared_uv(folder: Path) -> Path:
    """uv where alice can run it: our own is in a folder that is closed to other accounts."""
    from uv import find_uv_bin

    target = folder / "uv"
    if not target.exists():
        shutil.copy2(find_uv_bin(), target)
        target.chmod(0o755)
    return target


def busybox(folder: Path) -> Path:
    """A tar of a root file system that contains one program under many names."""
    program = shutil.which("busybox")
    assert program is not None, "busybox-static is not installed"
    root = folder / "rootfs"
    for name in ("bin", "etc", "usr/bin", "tmp", "root", "opt"):
        (root / name).mkdir(parents=True)
    shutil.copy2(program, root / "bin/busybox")
    listed = subprocess.check_output([program, "--list"], text=True).split()
    for name in listed:
        if name != "busybox":
            (root / "bin" / name).symlink_to("busybox")
    (root / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
    (root / "etc/group").write_text("root:x:0:\n")
    return packed(root, folder / "busybox.tar")


def debian_with_python(folder: Path) -> Path:
    """A small Debian with Python, as a tar."""
    if not shutil.which("mmdebstrap"):
        pytest.skip("mmdebstrap, which makes the base, is not available here")
    target = folder / "python.tar"
    packages = "--include=python3,python3-venv,ca-certificates"
    words = ["mmdebstrap", "--quiet", "--variant=minbase", packages, "bookworm", str(target)]
    subprocess.run([*words, mirror()], check=True)
    target.chmod(0o644)
    return target


def packed(root: Path, target: Path) -> Path:
    with tarfile.open(target, "w") as archive:
        archive.add(root, ".")
    shutil.rmtree(root)
    target.chmod(0o644)
    return target


def unsquashed(image: Path, folder: Path) -> bytes:
    """All bytes of all files of a squashfs."""
    words = ["unsquashfs", "-quiet", "-no-progress", "-dest", str(folder / "all"), str(image)]
    subprocess.run(words, check=True, capture_output=True)
    files = [one for one in (folder / "all").rglob("*") if one.is_file() and not one.is_symlink()]
    return b"".join(one.read_bytes() for one in files)


def _as_alice(words: list[str]) -> None:
    subprocess.run(["runuser", "-u", "alice", "--", *words], check=False, capture_output=True)
