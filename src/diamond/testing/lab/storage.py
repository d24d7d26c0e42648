"""Home and scratch folders with limits, for clusters that imitate a real site."""

from __future__ import annotations

import os
import pwd
import shutil
from pathlib import Path

from .old_python import python_binds
from .processes import call
from .shape import ClusterShape, LabError, LabShape

# Bytes and files; limits of the file system, not quotas per user.
LIMITS = {"home": "size=64m,nr_inodes=2000", "scratch": "size=2g,nr_inodes=50000"}


def mount_storage(lab: LabShape, cluster: ClusterShape) -> None:
    """Give a strict cluster its own file systems, with one folder per user."""
    for name, limits in LIMITS.items() if cluster.is_strict else ():
        folder = cluster.root / name
        folder.mkdir(exist_ok=True)
        if not os.path.ismount(folder):
            done = call(
                "mount",
                "-t",
                "tmpfs",
                "-o",
                f"mode=755,{limits}",
                "diamond-lab",
                folder,
                check=False,
            )
            if done.returncode:
                raise LabError(
                    f"--like {cluster.like} needs permission to mount: {done.stderr.strip()}"
                )
        for user in lab.options.user_names:
            make_user_folder(folder / user, user)


def make_user_folder(folder: Path, user: str) -> None:
    folder.mkdir(exist_ok=True)
    folder.chmod(0o700)
    shutil.chown(folder, user, pwd.getpwnam(user).pw_gid)


def unmount_storage(cluster: ClusterShape) -> None:
    for name in LIMITS:
        if os.path.ismount(cluster.root / name):
            call("umount", "--lazy", cluster.root / name, check=False)


def node_binds(lab: LabShape, cluster: ClusterShape) -> list[tuple[Path, Path]]:
    """What login and compute nodes see instead of the machine's own folders."""
    if not cluster.is_strict:
        return []
    homes = [(user, Path(pwd.getpwnam(user).pw_dir)) for user in lab.options.user_names]
    mine = [(cluster.root / "home" / user, home) for user, home in homes if home.is_dir()]
    return [*mine, *python_binds(cluster)]
