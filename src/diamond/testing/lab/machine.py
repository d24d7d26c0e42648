"""Things that all labs of a machine share: packages, users, host names, networks."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pwd
import socket
import sys
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from .processes import call, find_program
from .shape import LabError, LabShape, Options

LOCK = Path("/run/diamond-lab.lock")
HOSTS = Path("/etc/hosts")
POLICY = Path("/usr/sbin/policy-rc.d")
PORTS = range(20000, 31000)  # below the kernel's ephemeral range
LOGIN_INDEX = 255 * 250 + 1  # beyond all nodes
PROGRAMS = {
    "munge": "munged",
    "slurmctld": "slurmctld",
    "slurmd": "slurmd",
    "slurm-client": "sbatch",
}
ACCOUNTING_PROGRAMS = {"slurmdbd": "slurmdbd", "mariadb-server": "mariadbd"}
SSH_PROGRAMS = {"openssh-server": "sshd", "openssh-client": "ssh-keygen"}
NETNS_PROGRAMS = {"iproute2": "ip"}
PROBE = "hostname diamond-probe && mount --bind /run /run && test $$ = 1 && test -r /proc/1/stat"


def say(text: str) -> None:
    print(f"diamond lab: {text}", file=sys.stderr, flush=True)


def check_machine() -> None:
    if os.geteuid():
        raise LabError("a lab needs root, because slurmd starts jobs as other users")
    if not find_program("apt-get"):
        raise LabError("a lab needs Debian or Ubuntu: their Slurm allows several nodes per machine")


@contextlib.contextmanager
def locked(path: Path = LOCK) -> Iterator[None]:
    """Hold a lock file; by default the machine's."""
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if path.exists() and path.stat().st_ino == os.fstat(file.fileno()).st_ino:
                yield
                return
            # `down --purge` deleted the file while this process waited.


def install_packages(options: Options) -> None:
    wanted = dict(PROGRAMS)
    wanted |= ACCOUNTING_PROGRAMS if options.accounting else {}
    wanted |= SSH_PROGRAMS if options.ssh else {}
    wanted |= NETNS_PROGRAMS if options.netns else {}
    missing = [package for package, program in wanted.items() if not find_program(program)]
    if missing:
        say(f"installing {' '.join(missing)}")
        with no_daemons_started():
            apt_install(missing)


def apt_install(packages: Sequence[str]) -> None:
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    apt = ["apt-get", "-q", "-y", "-o", "DPkg::Lock::Timeout=600"]
    install = [*apt, "install", "--no-install-recommends", *packages]
    if call(*install, env=env, check=False, timeout=1200).returncode:
        call(*apt, "update", env=env, check=False, timeout=600)
        call(*install, env=env, timeout=1200)


@contextlib.contextmanager
def no_daemons_started() -> Iterator[None]:
    """Keep packages from starting daemons for the whole machine."""
    ours = not POLICY.exists()
    if ours:
        POLICY.write_text("#!/bin/sh\nexit 101\n")
        POLICY.chmod(0o755)
    try:
        yield
    finally:
        if ours:
            POLICY.unlink(missing_ok=True)


def ensure_users(names: Sequence[str]) -> None:
    """Create missing users, with the password '*'.

    useradd's default '!' means "locked", and sshd without PAM then rejects even keys.
    """
    for name in names:
        try:
            pwd.getpwnam(name)
        except KeyError:
            call("useradd", "--create-home", "--shell", "/bin/bash", "--password", "*", name)
        shadow = call("getent", "shadow", name, check=False).stdout.split(":")
        if shadow[1:2] in (["!"], ["!!"]):
            call("usermod", "--password", "*", name)


def check_reachable(root: Path, users: Sequence[str]) -> None:
    """Jobs run as ordinary users in folders below root, so these users must have access."""
    for folder in [root, *root.parents] if users else []:
        if not folder.stat().st_mode & 0o001:
            raise LabError(
                f"{folder} is closed to ordinary users, so their jobs could not run; "
                "choose another folder, chmod o+x it, or pass --users ''"
            )


def can_isolate() -> bool:
    """Whether nodes can have their own PIDs, host names and mounts (needs CAP_SYS_ADMIN)."""
    command = ("unshare", "--uts", "--pid", "--fork", "--mount-proc", "--kill-child")
    return call(*command, "sh", "-c", PROBE, check=False).returncode == 0


def free_ports(root: Path, count: int) -> list[int]:
    """A block of free ports, starting at a number derived from the folder."""
    blocks = len(PORTS) // count
    first = zlib.crc32(str(root).encode()) % blocks
    for i in range(blocks):
        start = PORTS.start + (first + i) % blocks * count
        block = list(range(start, start + count))
        if all(port_is_free(port) for port in block):
            return block
    raise LabError(f"no {count} free ports in a row between {PORTS.start} and {PORTS.stop}")


def port_is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", port))
            probe.listen(1)
        except OSError:
            return False
    return True


def ensure_network(lab: LabShape) -> None:
    """A network namespace with nothing but its own loopback.

    Slurm resolves even "127.0.0.1" with AI_ADDRCONFIG, which fails on a host that has no
    address beyond 127/8; so the loopback gets one of those reserved for documentation.
    And quickack saves slurmdbd's clients 40 ms per message (sacctmgr: 0.05 s instead of 0.6 s).
    """
    if lab.netns and not Path(f"/run/netns/{lab.netns}").exists():
        done = call("ip", "netns", "add", lab.netns, check=False)
        if done.returncode:
            raise LabError(f"--netns is not allowed here: {done.stderr.strip()}")
        call("ip", "-n", lab.netns, "address", "add", "192.0.2.1/32", "dev", "lo")
        call("ip", "-n", lab.netns, "link", "set", "lo", "up")
        for where in ("127.0.0.0/8", "127.0.0.1"):
            call(
                "ip",
                "-n",
                lab.netns,
                "route",
                "replace",
                "local",
                where,
                "dev",
                "lo",
                "table",
                "local",
                "quickack",
                "1",
            )


def remove_network(lab: LabShape) -> None:
    if lab.netns and Path(f"/run/netns/{lab.netns}").exists():
        call("ip", "netns", "delete", lab.netns, check=False)


def name_hosts(lab: LabShape, *, present: bool) -> None:
    """Make node names resolve with a marked block in /etc/hosts.

    Written in place, because containers mount that file.
    """
    begin, end = f"# diamond lab {lab.root} begin\n", f"# diamond lab {lab.root} end\n"
    try:
        old = HOSTS.read_text()
        before, _, rest = old.partition(begin)
        new = before + rest.partition(end)[2] if rest else old
        if present:
            new = new.rstrip("\n") + "\n" + begin + host_lines(lab) + end
        if new != old:
            HOSTS.write_text(new)
    except OSError as error:
        say(f"node names will not resolve: {error}")


def host_lines(lab: LabShape) -> str:
    return "".join(
        f"{cluster.address(index)} {name}\n"
        for cluster in lab.clusters
        for index, name in [(LOGIN_INDEX, cluster.login), *enumerate(cluster.node_names, start=1)]
    )
