"""Install what the tests need to use the real things: PostgreSQL, Slurm, sshd, containers.

Run by `make test`. Without root it says what is missing; the tests that need it are then skipped with a message.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from support import docker, openid
from support.apptainer import install_apptainer

PACKAGES = {
    "postgresql": "initdb",
    "faketime": "faketime",
    "git": "git",
    "openssh-server": "sshd",
    "openssh-client": "ssh",
    "iproute2": "ip",
    "munge": "munged",
    "openmpi-bin": "mpirun",
    "openssl": "openssl",
    "slurmctld": "slurmctld",
    "slurmd": "slurmd",
    "slurm-client": "sbatch",
    "slurmdbd": "slurmdbd",
    "mariadb-server": "mariadbd",
    "chromium": "chromium",
    "busybox-static": "busybox",
    "charliecloud": "ch-run",
    "docker-registry": "docker-registry",
    "fakeroot": "fakeroot",
    "fuse3": "fusermount3",
    "mmdebstrap": "mmdebstrap",
    "patchelf": "patchelf",
    "podman": "podman",
    "runc": "runc",
    "skopeo": "skopeo",
    "squashfs-tools": "mksquashfs",
    "squashfuse": "squashfuse_ll",
    "uidmap": "newuidmap",
}
FUSE = Path("/dev/fuse")
POLICY = Path("/usr/sbin/policy-rc.d")


def main() -> int:
    openid.install()
    missing = [package for package, program in PACKAGES.items() if not find(program)]
    if os.geteuid() or not shutil.which("apt-get"):
        print(f"not installed: {' '.join(missing)}; tests that need them are skipped", flush=True)
        return 0
    if missing:
        install(missing)
    if not find("apptainer"):
        why = install_apptainer()
        print(f"apptainer: {why or 'installed'}", flush=True)
    if not find("dockerd"):
        why = docker.install_docker()
        print(f"docker: {why or 'unpacked'}", flush=True)
    if FUSE.exists():
        FUSE.chmod(0o666)  # as in distributions: without it, only root can mount an image
    return 0


def find(program: str) -> bool:
    folders = [*map(str, Path("/usr/lib/postgresql").glob("*/bin")), "/usr/sbin", "/sbin"]
    folders.append(str(docker.PREFIX / "sbin"))
    return bool(shutil.which(program, path=os.pathsep.join([os.environ["PATH"], *folders])))


def install(packages: list[str]) -> None:
    """apt, without letting packages start daemons."""
    ours = not POLICY.exists()
    if ours:
        POLICY.write_text("#!/bin/sh\nexit 101\n")
        POLICY.chmod(0o755)
    try:
        apt("update")
        apt("install", "--no-install-recommends", *packages)
    finally:
        if ours:
            POLICY.unlink(missing_ok=True)


def apt(*words: str) -> None:
    command = ["apt-get", "-q", "-y", "-o", "DPkg::Lock::Timeout=600", *words]
    subprocess.run(command, check=True, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})


if __name__ == "__main__":
    sys.exit(main())
