"""Copies in the folder of a Unix group: one serves all of its members, and none of them removes it for another.

The folder is group-writable with the sticky bit, like the folder of a group's images (`runtimes/sharing.py`). Whoever finds a copy there reads
all of it once before it counts; afterwards it is checked before each start like data that was registered in place.
"""

from __future__ import annotations

import os
from pathlib import Path

from diamond.core.errors import BadRequest
from diamond.runtimes.below import below

FOLDER_MODE = 0o3770
"""Of the group alone; what is made inside belongs to the group too, and only its maker removes it."""


def group_tree(folder: str, tree: str) -> Path:
    return below(_checked(folder), "trees", tree)


def group_arriving(folder: str, transfer: str) -> Path | None:
    """Where a copy for the group arrives, on its file system; None where this account may not write."""
    root = _checked(folder)
    if not os.access(root, os.W_OK | os.X_OK):
        return None
    for name in ("trees", "arriving"):
        place = root / name
        if not place.is_dir():
            place.mkdir(exist_ok=True)
            place.chmod(FOLDER_MODE)
        if not os.access(place, os.W_OK | os.X_OK):
            return None
    return below(root, "arriving", transfer)


def _checked(folder: str) -> Path:
    root = Path(folder)
    if not root.is_absolute() or not root.is_dir():
        raise BadRequest(
            f"The group's data folder {folder} is not there",
            "Make it, writable for the group: mkdir -m 3770 FOLDER; chgrp GROUP FOLDER",
        )
    return root
