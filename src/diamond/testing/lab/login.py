"""Login nodes: one sshd per cluster, and the client configuration to reach them."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from .daemons import namespace_setup
from .old_python import python_binds, python_folder
from .processes import SYSTEM_PATH, call, enter_network, find_program, listens, pid_of, require
from .processes import start as start_daemon
from .shape import ClusterShape, LabShape
from .storage import node_binds

SSHD_CONFIG = """\
ListenAddress 127.0.0.1:{port}
HostKey {folder}/host_ed25519
AuthorizedKeysFile {folder}/id_ed25519.pub
PidFile none
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
UsePAM no
StrictModes no
PrintMotd no
UseDNS no
MaxStartups 100
MaxSessions 100
Subsystem sftp internal-sftp
"""
CLIENT_CONFIG = """\
Host {name}
    HostName 127.0.0.1
    Port {port}
    User {user}
    HostKeyAlias {name}
    IdentityFile {folder}/id_ed25519
    IdentitiesOnly yes
    UserKnownHostsFile {folder}/known_hosts
    StrictHostKeyChecking yes
"""
# A small "nc" for ssh: connects the standard streams to a port on the lab's network.
PROXY = """\
import os, socket, sys, threading
host, port = sys.argv[1], int(sys.argv[2])
link = socket.create_connection((host, port))


def upload():
    while data := os.read(0, 65536):
        link.sendall(data)
    link.shutdown(socket.SHUT_WR)


threading.Thread(target=upload, daemon=True).start()
while data := link.recv(65536):
    while data:
        data = data[os.write(1, data):]
"""


def start_login(lab: LabShape, cluster: ClusterShape) -> None:
    """An sshd on loopback whose sessions see this cluster."""
    if pid_of(lab, cluster.login):
        return
    Path("/run/sshd").mkdir(exist_ok=True)
    conf = lab.root / "ssh" / f"{cluster.name}.sshd_config"
    conf.write_text(sshd_config(lab, cluster))
    for user in lab.options.user_names if cluster.is_strict else []:
        write_profile(lab, cluster, user)
    command = [find_program("sshd") or "sshd", "-D", "-e", "-f", str(conf)]
    if lab.isolated:
        text = f'{namespace_setup(cluster.login, node_binds(lab, cluster))} && exec "$@"'
        command = ["unshare", "--uts", "--mount", "sh", "-c", text, "diamond-login", *command]
    start_daemon(lab, cluster.login, command)
    require(lab, cluster.login, lambda: listens(lab, cluster.login, cluster.ssh_port))


def write_profile(lab: LabShape, cluster: ClusterShape, user: str) -> None:
    """For login shells, because /etc/profile resets PATH."""
    profile = cluster.root / "home" / user / ".profile"
    lines = session_env(lab, cluster, user).items()
    profile.write_text("".join(f"export {key}={value}\n" for key, value in lines))
    shutil.chown(profile, user)


def sshd_config(lab: LabShape, cluster: ClusterShape) -> str:
    """sshd only uses the first matching SetEnv, so each user has one line with everything."""
    text = SSHD_CONFIG.format(port=cluster.ssh_port, folder=lab.root / "ssh")
    for user in lab.options.user_names:
        text += f"Match User {user}\n    SetEnv {pairs(session_env(lab, cluster, user))}\n"
    return text + f"Match all\n    SetEnv {pairs(session_env(lab, cluster, 'root'))}\n"


def pairs(values: Mapping[str, str]) -> str:
    return " ".join(f"{key}={value}" for key, value in values.items())


def session_env(lab: LabShape, cluster: ClusterShape, user: str) -> dict[str, str]:
    """Extra environment variables of a session on the login node."""
    env = {
        "SLURM_CONF": str(cluster.conf),
        "DIAMOND_LAB_DIR": str(lab.root),
        "DIAMOND_LAB_CLUSTER": cluster.name,
    }
    if cluster.is_strict and user in lab.options.user_names:
        env["SCRATCH"] = str(cluster.root / "scratch" / user)
    if folder := python_folder(cluster):
        env["PATH"] = f"{folder}:{SYSTEM_PATH}"
    for _, place in python_binds(cluster):  # for venvs made of that Python
        env["LD_LIBRARY_PATH"] = f"{place}/lib"
    return env


def write_client_files(lab: LabShape) -> None:
    """Keys, known hosts and DIR/ssh/config, for `ssh -F DIR/ssh/config alpha`."""
    folder = lab.root / "ssh"
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    for key in ("host_ed25519", "id_ed25519"):
        if not (folder / key).exists():
            call(
                "ssh-keygen",
                "-q",
                "-t",
                "ed25519",
                "-N",
                "",
                "-C",
                f"diamond-lab-{key}",
                "-f",
                folder / key,
            )
    host_key = " ".join((folder / "host_ed25519.pub").read_text().split()[:2])
    known = "".join(f"{cluster.name} {host_key}\n" for cluster in lab.clusters)
    (folder / "known_hosts").write_text(known)
    (folder / "proxy.py").write_text(PROXY)
    lab.ssh_config.write_text("\n".join(client_entry(lab, cluster) for cluster in lab.clusters))


def client_entry(lab: LabShape, cluster: ClusterShape) -> str:
    folder = lab.root / "ssh"
    user = next(iter(lab.options.user_names), "root")
    text = CLIENT_CONFIG.format(name=cluster.name, port=cluster.ssh_port, user=user, folder=folder)
    if lab.netns:
        command = [*enter_network(lab), sys.executable, "-IS", f"{folder}/proxy.py", "%h", "%p"]
        text += f"    ProxyCommand {' '.join(command)}\n"
    return text
