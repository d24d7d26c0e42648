"""Where trees are on this machine. Each place is a small file that stays when scratch is purged."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Dict, List

from diamond.agent.disk import read_json, write_json
from diamond.agent.folders import Folders
from diamond.core.decoding import Count, Hex, Layout, decode
from diamond.core.errors import BadRequest, DataChanged, NotFound
from diamond.data.manifest import Entry, FileEntry, load_manifest
from diamond.data.removing import remove_tree
from diamond.data.scanning import scan
from diamond.data.walking import fingerprint_of, stood
from diamond.runtimes.below import below

MOST_NAMED = 100


@dataclass(frozen=True)
class Place:
    """A tree on this machine."""

    tree: Hex
    layout: Layout
    path: str
    managed: bool
    fingerprint: str
    """How its files stood when they were verified."""
    is_settled: bool = True
    """An equal fingerprint means equal files; otherwise they are read again once."""
    size: Count = 0
    files: Count = 0
    entries: Count = 0
    pinned: bool = False
    shared: bool = False
    used: float = 0.0
    changed: List[str] = field(default_factory=list)


@dataclass(frozen=True)
class TreePlaces:
    folders: Folders

    @property
    def root(self) -> Path:
        return self.folders.work / "data"

    @property
    def intents(self) -> Path:
        return self.folders.keep / "data" / "intents"

    def manifest(self, tree: str) -> Path:
        return below(self.root, "manifests", f"{tree}.manifest")

    def managed(self, tree: str, layout: str) -> Path:
        """Where a copy that Diamond makes is."""
        if layout == "archive":
            return below(self.root, "archives", f"{tree}.squashfs")
        return below(self.root, "trees", tree)

    def arriving(self, transfer: str) -> Path:
        return below(self.root, "arriving", transfer)

    def arriving_aside(self, transfer: str) -> Path:
        """On this node's own disk."""
        return below(self.folders.tmp, f"diamond-{os.getuid()}-{transfer}")

    def state_of(self, path: str) -> Path:
        """The saved hashing state of a folder."""
        name = hashlib.sha256(os.fsencode(path)).hexdigest()[:32]
        return below(self.root, "scans", f"{name}.state")

    def every(self) -> List[Place]:
        found = [_read(file) for file in sorted(self._kept.glob("*.json"))]
        return [place for place in found if place is not None]

    def find(self, tree: str, layout: str) -> Place | None:
        """A copy with this layout; one that is unchanged first."""
        places = [one for one in self.every_of(tree) if one.layout == layout]
        return min(places, key=lambda one: (bool(one.changed), not one.managed), default=None)

    def every_of(self, tree: str) -> List[Place]:
        files = [_read(file) for file in sorted(self._kept.glob(f"{tree}.*.json"))]
        return [place for place in files if place is not None]

    def is_pinned_within(self, folder: Path) -> bool:
        """Whether data in place below this folder must stay."""
        root = f"{os.path.realpath(folder)}/"
        pinned = [one.path for one in self.every() if one.pinned]
        return any(f"{os.path.realpath(path)}/".startswith(root) for path in pinned)

    def put(self, place: Place) -> None:
        self._kept.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_json(self._file(place), asdict(place), durable=True)

    def forget(self, place: Place) -> None:
        self._file(place).unlink(missing_ok=True)

    def remove(self, place: Place) -> None:
        """A managed copy goes; what is in place is only forgotten."""
        self.forget(place)
        own = self.managed(place.tree, place.layout)
        if place.managed and not place.shared and str(own) == place.path:
            remove_tree(own)

    def entries(self, tree: str) -> List[Entry]:
        """Raises `NotFound`, `BadRequest`."""
        file = self.manifest(tree)
        if not file.is_file():
            raise NotFound(f"The manifest of {tree[:12]} is not here", "Register the data again.")
        return load_manifest(file, tree)

    def check(self, place: Place) -> Place:
        """The place, if its files are as they were. Raises `DataChanged`, which names those that are not."""
        try:
            now = fingerprint(place)
        except (NotFound, OSError):
            self.put(replace(place, changed=["."]))
            raise DataChanged(
                f"{place.path} is not there any more", "Copy the data to this machine again."
            ) from None
        if now == place.fingerprint and place.is_settled and not place.changed:
            return place
        if place.layout == "archive":
            self.put(replace(place, changed=["."]))
            raise DataChanged(f"The archive {place.path} has changed", "Make it again.")
        return self._read_again(place)

    def use(self, place: Place) -> None:
        self.put(replace(place, used=time.time()))

    def _read_again(self, place: Place) -> Place:
        """By one thread at a time: tasks that start at once may read the same data."""
        with _reading.setdefault(place.tree, threading.Lock()):
            known = _read(self._file(place)) or place
            if known.is_settled and not known.changed and fingerprint(known) == known.fingerprint:
                return known
            return self._scan_again(known)

    def _scan_again(self, place: Place) -> Place:
        aside = self.root / "scans" / f"check-{place.tree}.{os.getpid()}"
        scanned = scan(place.path, manifest=aside, state=self.state_of(place.path))
        if scanned.summary.digest == place.tree:
            same = replace(
                place,
                fingerprint=scanned.fingerprint,
                is_settled=scanned.is_settled,
                changed=[],
            )
            self.put(same)
            aside.unlink(missing_ok=True)
            return same
        names = [problem.path for problem in scanned.problems]
        if not names:
            names = _differences(
                self.entries(place.tree), load_manifest(aside, scanned.summary.digest)
            )
        aside.unlink(missing_ok=True)
        names = [printable(name) for name in names]
        self.put(replace(place, changed=names[:MOST_NAMED]))
        raise changed_error(place.path, names)

    @property
    def _kept(self) -> Path:
        return self.folders.keep / "data"

    def _file(self, place: Place) -> Path:
        kind = place.layout if place.managed else "in-place"
        return below(self._kept, f"{place.tree}.{kind}.json")


_reading: Dict[str, threading.Lock] = {}
"""By tree."""


def fingerprint(place: Place) -> str:
    """How it stands now. Raises `NotFound`, `OSError`."""
    if place.layout == "archive":
        return stood(Path(place.path).stat())
    return fingerprint_of(place.path)


def changed_error(path: str, names: List[str]) -> DataChanged:
    others = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return DataChanged(
        f"{names[0]}{others} in {path} changed since the data was registered",
        "Put the old file back, or register the folder again to make a new version.",
    )


def printable(path: str) -> str:
    """A path as a message may carry it: bytes that aren't text are escaped."""
    return path.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")


def _read(file: Path) -> Place | None:
    data = read_json(file)
    try:
        return decode(Place, data) if data is not None else None
    except BadRequest:
        return None


def _differences(old: List[Entry], new: List[Entry]) -> List[str]:
    before, after = set(old), set(new)
    changed = {entry.path for entry in before ^ after}
    files = sorted(one.path for one in before ^ after if isinstance(one, FileEntry))
    return list(dict.fromkeys([*files, *sorted(changed)]))
