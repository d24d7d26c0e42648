"""Files of other trees on this machine that a tree which arrives may have too."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Dict, List

from diamond.agent.data.places import Place, TreePlaces
from diamond.core.errors import BadRequest, NotFound
from diamond.data.manifest import FileEntry, files_of
from diamond.data.wants import LARGE


@dataclass
class Nearby:
    """By digest, and for large files by path: an earlier version is at the same path most often."""

    by_digest: Dict[str, NearFile] = field(default_factory=dict)
    by_path: Dict[str, NearFile] = field(default_factory=dict)


@dataclass(frozen=True)
class NearFile:
    place: str
    may_link: bool
    """A managed copy that nobody writes to: a hard link costs no room."""


def look_nearby(places: TreePlaces, tree: str, wanted: Collection[FileEntry]) -> Nearby:
    """What of these other trees here have. Nothing is trusted: whoever takes a file verifies it."""
    digests = {entry.sha256 for entry in wanted}
    large = {entry.path for entry in wanted if entry.size >= LARGE}
    found = Nearby()
    for place in _others(places, tree):
        try:
            entries = files_of(places.entries(place.tree))
        except (NotFound, BadRequest):
            continue
        alone = len(entries) == 1 and not place.managed
        for entry in entries:
            if entry.sha256 in digests or entry.path in large:
                file = NearFile(
                    _path(place, entry, alone=alone), place.managed and not place.shared
                )
                found.by_digest.setdefault(entry.sha256, file)
                if entry.size >= LARGE:
                    found.by_path.setdefault(entry.path, file)
    return found


def _others(places: TreePlaces, tree: str) -> List[Place]:
    """The newest first: it has most in common."""
    others = [one for one in places.every() if one.tree != tree and one.layout == "files"]
    return sorted(others, key=lambda one: -one.used)


def _path(place: Place, entry: FileEntry, *, alone: bool) -> str:
    """A single file may have been registered by its own path."""
    if alone and place.path.endswith("/" + entry.path):
        return place.path
    return f"{place.path}/{entry.path}"
