"""What git knows about a folder; every question is an argument list."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import List, Optional, Sequence

_MISLEADING = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_CEILING_DIRECTORIES",
)


@dataclass(frozen=True)
class WorkTree:
    folder: Path
    top: Path

    def paths(self) -> List[str]:
        """Tracked and untracked files below the folder, without the ignored ones."""
        arguments = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"]
        listed = _ask(self.folder, arguments) or b""
        names = {os.fsdecode(name) for name in listed.split(b"\0") if name}
        return sorted(path for name in names for path in self._expand(name.rstrip("/")))

    def ignored(self) -> List[str]:
        """What an ignore file leaves out below the folder; a folder that is left out as a whole ends with a slash."""
        arguments = ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"]
        listed = _ask(self.folder, arguments) or b""
        names = sorted(os.fsdecode(name) for name in listed.split(b"\0") if name)
        # git names a folder of ignored files and these files too.
        return [
            a for a, b in zip(names, [*names[1:], ""]) if not (a.endswith("/") and b.startswith(a))
        ]

    def commit(self) -> str:
        return (_ask(self.folder, ["rev-parse", "--verify", "HEAD"]) or b"").decode().strip()

    def is_dirty(self) -> bool:
        return bool(_ask(self.folder, ["status", "--porcelain", "-z", "--", "."]))

    def diff(self, without: Sequence[str]) -> bytes:
        """What tracked files have beyond the commit, except in the files named."""
        paths = [".", *(f":(exclude,literal){path}" for path in without)]
        arguments = [
            "diff",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "--relative",
            "HEAD",
            "--",
        ]
        return _ask(self.folder, arguments + paths) or b""

    def _expand(self, name: str) -> List[str]:
        """A submodule or a nested repository is listed by its folder alone."""
        inner = self.folder / name
        if inner.is_symlink() or not inner.is_dir():
            return [name]
        nested = find_work_tree(inner)
        if nested is None or nested.top == self.top:
            return []
        return [f"{name}/{path}" for path in nested.paths()]


def find_work_tree(folder: Path) -> Optional[WorkTree]:
    """The work tree that holds `folder`, or None (also where git is missing or will not answer)."""
    if not _has_git_above(folder):
        return None
    answer = _ask(folder, ["rev-parse", "--show-toplevel"])
    if not answer:
        return None
    return WorkTree(folder, Path(os.fsdecode(answer.rstrip(b"\n"))))


def _has_git_above(folder: Path) -> bool:
    """A look at the disk spares most submissions a process."""
    here = Path(os.path.realpath(folder))
    return any(os.path.lexists(place / ".git") for place in (here, *here.parents))


def _ask(folder: Path, arguments: Sequence[str]) -> Optional[bytes]:
    env = {key: value for key, value in os.environ.items() if key not in _MISLEADING}
    command = ["git", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, env=env, capture_output=True, check=False)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None
