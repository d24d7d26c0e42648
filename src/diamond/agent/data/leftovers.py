"""What transfers that failed have left: the next one of the same data continues it, and what nobody continues is removed."""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import List

from diamond.agent.data.places import TreePlaces
from diamond.data.removing import remove_tree

KEEP_SECONDS = 7 * 86400.0
MARK = "of"


@dataclass(frozen=True)
class Leftover:
    folder: Path
    tree: str
    age: float


def mark_arriving(folder: Path, tree: str) -> None:
    """So that a later transfer knows whose parts these are."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    (folder / MARK).write_text(tree)


def continue_leftover(places: TreePlaces, transfer: str, tree: str) -> None:
    """Under the name of this transfer. It verifies what is there, as after a crash."""
    mine = places.arriving(transfer)
    for left in [] if mine.exists() else leftovers(places):
        if left.tree == tree:
            with contextlib.suppress(OSError):
                os.rename(left.folder, mine)  # noqa: PTH104
                return


def remove_leftovers(places: TreePlaces, *, older: float = 0.0) -> None:
    for left in leftovers(places):
        if left.age >= older:
            remove_tree(left.folder)


def leftovers(places: TreePlaces) -> List[Leftover]:
    """Of transfers that are no longer under way here."""
    top = places.arriving("x").parent
    found = []
    for folder in sorted(top.iterdir()) if top.is_dir() else []:
        if (places.intents / f"fetch-{folder.name}.json").exists():
            continue
        with contextlib.suppress(OSError):
            mark = folder / MARK
            tree = mark.read_text() if mark.exists() else ""
            found.append(Leftover(folder, tree, time.time() - folder.stat().st_mtime))
    return found
