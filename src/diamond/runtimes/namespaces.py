"""Doing things as root of a user namespace: mounting overlays, and removing files that belong to one's sub-ids."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import List, Sequence

_TRY_OVERLAY = """\
mkdir lower upper work merged
echo below >lower/file
mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work,userxattr merged
echo above >merged/file
rm merged/file
test -c upper/file
"""


def as_root(command: Sequence[str], *, mounts: bool = False) -> List[str]:
    """The command line that runs `words` as root of a new user namespace."""
    return ["unshare", *_mapping(), *(["--mount"] if mounts else []), *command]


@lru_cache
def has_sub_ids() -> bool:
    """Whether this account has its own range of ids, so that files may belong to others than root."""
    return _works(["unshare", "--map-root-user", "--map-auto", "true"])


@lru_cache
def has_namespaces() -> bool:
    return _works(["unshare", "--map-root-user", "--mount", "true"])


def takes_overlays(folder: Path) -> bool:
    """Whether an overlay really mounts here: NFS and Lustre refuse to be written through one."""
    try:
        place = Path(tempfile.mkdtemp(prefix=".overlay-", dir=folder))
    except OSError:
        return False
    try:
        return _works(as_root(["sh", "-euc", _TRY_OVERLAY], mounts=True), place)
    finally:
        remove_tree(place)


def remove_tree(place: Path) -> None:
    """Remove a tree, also where parts of it belong to sub-ids or bear no rights at all."""
    if not os.path.lexists(place):
        return
    shutil.rmtree(place, ignore_errors=True)
    if os.path.lexists(place):
        _works(as_root(["rm", "-rf", "--", str(place)]))


def _mapping() -> List[str]:
    return ["--map-root-user", "--map-auto"] if has_sub_ids() else ["--map-root-user"]


def _works(command: Sequence[str], folder: Path = Path("/")) -> bool:
    try:
        done = subprocess.run(
            list(command), cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
