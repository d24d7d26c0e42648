"""Removing trees, whose folders are read-only."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path


def remove_tree(path: Path) -> None:
    """Including read-only folders."""
    if not os.path.lexists(path):
        return
    if path.is_symlink() or path.is_file():
        path.unlink()
        return
    for folder, _, _ in os.walk(path):
        facts = os.lstat(folder)
        if not facts.st_mode & stat.S_IWUSR:
            os.chmod(folder, 0o700)  # noqa: PTH101
    shutil.rmtree(path, ignore_errors=True)
