"""SQLite needs real locks: a network file system is refused before it eats the database."""

from __future__ import annotations

from pathlib import Path

from diamond.core.errors import BadRequest

NETWORK_TYPES = frozenset(
    {
        "nfs",
        "nfs4",
        "lustre",
        "gpfs",
        "beegfs",
        "cifs",
        "smb3",
        "smbfs",
        "ceph",
        "glusterfs",
        "fuse.glusterfs",
        "fuse.sshfs",
        "fuse.ceph",
        "afs",
        "panfs",
        "pvfs2",
        "orangefs",
        "wekafs",
        "9p",
        "fuse.s3fs",
        "fuse.juicefs",
        "daos",
        "fuse.dfuse",
        "acfs",
        "ocfs2",
        "gfs2",
    }
)
MOUNTS = Path("/proc/mounts")


def refuse_network_folder(folder: Path, mounts: Path = MOUNTS) -> None:
    """Raise if `folder` is on a file system whose locks SQLite cannot trust."""
    kind = filesystem_type(folder, mounts)
    if kind in NETWORK_TYPES:
        raise BadRequest(
            f"{folder} is on a network file system ({kind}), where SQLite can lose its database",
            "Set DIAMOND_HOME to a folder on a local disk, or give --database-url postgresql://…",
        )


def filesystem_type(folder: Path, mounts: Path = MOUNTS) -> str:
    """The type of the mount that holds `folder`; empty where the system does not tell."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return ""
    place, best, kind = folder.resolve(), -1, ""
    for line in lines:
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        point = Path(_unescaped(fields[1]))
        if place.is_relative_to(point) and len(point.parts) >= best:
            best, kind = len(point.parts), fields[2]
    return kind


def _unescaped(path: str) -> str:
    r"""The kernel writes blanks in mount points as \040."""
    for code, char in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        path = path.replace(code, char)
    return path
