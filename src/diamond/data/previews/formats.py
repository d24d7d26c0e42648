"""Which files of a tree a preview shows, and what it takes to read them. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, Iterable, List, Sequence, Tuple

from diamond.core.previews import MOST_IMAGES, MOST_KINDS, MOST_PARTS, PreviewFileKind
from diamond.data.manifest import FileEntry
from diamond.data.previews.cells import cell

OF_EACH = 3
"""Files of one format; the others look the same, most of the time."""
SUFFIXES: Dict[str, Sequence[str]] = {
    "csv": (".csv", ".tsv", ".csv.gz", ".tsv.gz"),
    "parquet": (".parquet", ".pq"),
    "jsonl": (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz"),
    "numpy": (".npy", ".npz"),
    "hdf5": (".h5", ".hdf5", ".he5"),
    "netcdf": (".nc", ".nc4", ".cdf"),
    "image": (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".webp"),
    "text": (".txt", ".md", ".rst", ".json", ".yaml", ".yml", ".toml", ".xml", ".log", ".py"),
}
NEEDS: Dict[str, Sequence[str]] = {
    "parquet": ("pyarrow",),
    "numpy": ("numpy",),
    "hdf5": ("h5py", "numpy"),
    "netcdf": ("netCDF4", "numpy"),
    "zarr": ("zarr", "numpy"),
    "image": ("pillow",),
}
"""Packages of an environment of Diamond's; the other formats need the standard library alone."""
_ZARR = (".zarray", ".zgroup", "zarr.json")


@dataclass(frozen=True)
class Chosen:
    path: str
    format: str
    others: Sequence[str] = ()
    """Further images that are shown with it."""


def choose(entries: Iterable[FileEntry]) -> List[Chosen]:
    """A few of each format; what explains the data first, pictures as one grid."""
    by_format: Dict[str, List[str]] = {}
    stores = set()
    for entry in entries:
        store = _zarr_store(entry.path)
        if store:
            stores.add(store)
            continue
        name = format_of(entry.path)
        if name and entry.size:
            by_format.setdefault(name, []).append(entry.path)
    chosen = [Chosen(path, "zarr") for path in sorted(stores)[:OF_EACH]]
    for name in SUFFIXES:
        paths = sorted(by_format.get(name, []), key=_readme_first)
        if name == "image" and paths:
            some = _spread(paths, MOST_IMAGES)
            chosen.append(Chosen(some[0], "image", tuple(some[1:])))
        else:
            chosen += [Chosen(path, name) for path in paths[:OF_EACH]]
    chosen.sort(key=lambda one: not _is_readme(one.path))
    return chosen[:MOST_PARTS]


def requirements(chosen: Iterable[Chosen]) -> List[str]:
    return sorted({package for one in chosen for package in NEEDS.get(one.format, ())})


def format_of(path: str) -> str:
    """'' for one that a preview cannot show."""
    name = path.rsplit("/", 1)[-1].lower()
    if name in ("readme", "license", "licence"):
        return "text"
    for kind, suffixes in SUFFIXES.items():
        if name.endswith(tuple(suffixes)):
            return kind
    return ""


def kinds_of(entries: Iterable[FileEntry]) -> List[PreviewFileKind]:
    """By the end of their names, the most bytes first."""
    counts: Dict[str, List[int]] = {}
    for entry in entries:
        name = entry.path.rsplit("/", 1)[-1]
        suffix = f".{name.rsplit('.', 1)[1].lower()}" if "." in name[1:] else "no suffix"
        found = counts.setdefault(suffix if len(suffix) <= 16 else "others", [0, 0])
        found[0] += 1
        found[1] += entry.size
    ordered = sorted(counts.items(), key=lambda one: (-one[1][1], one[0]))
    return [PreviewFileKind(cell(suffix), *found) for suffix, found in ordered[:MOST_KINDS]]


def _zarr_store(path: str) -> str:
    """The outermost store that a file belongs to; '' for one of no store."""
    parts = path.split("/")
    for index, part in enumerate(parts[:-1]):
        if part.lower().endswith(".zarr"):
            return "/".join(parts[: index + 1])
    return "/".join(parts[:-1]) if parts[-1] in _ZARR and len(parts) > 1 else ""


def _readme_first(path: str) -> Tuple[bool, int, str]:
    return (not _is_readme(path), path.count("/"), path)


def _is_readme(path: str) -> bool:
    return path.rsplit("/", 1)[-1].lower().startswith("readme")


def _spread(paths: List[str], count: int) -> List[str]:
    """Some from the whole list, not only its start."""
    if len(paths) <= count:
        return paths
    return [paths[index * len(paths) // count] for index in range(count)]
