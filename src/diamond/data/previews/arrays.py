"""Arrays: NumPy, HDF5, netCDF and Zarr. Shapes are read always, values only where they are few and no code could hide in them."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

from diamond.core.previews import MOST_ARRAYS, PreviewArray, PreviewPart
from diamond.data.previews.cells import cell, note, shown_path
from diamond.data.previews.columns import histogram

MOST_VALUES = 100_000
SHOWN_VALUES = 8
MOST_CHUNK_BYTES = 64 << 20
"""A larger piece would have to be unpacked whole for its first value."""
PICKLED = "it holds Python objects (pickle), which are never loaded"
_SAFE_CODECS = frozenset(
    [
        "blosc",
        "zlib",
        "gzip",
        "zstd",
        "lz4",
        "bz2",
        "lzma",
        "shuffle",
        "delta",
        "fixedscaleoffset",
        "bytes",
        "transpose",
        "crc32c",
    ]
)


def preview_numpy(path: Path, shown: str) -> PreviewPart:
    arrays = _from_npz(path) if path.name.lower().endswith(".npz") else [_from_npy(path)]
    words = PICKLED if any(array.about == PICKLED for array in arrays) else ""
    return PreviewPart(shown_path(shown), "numpy", words, arrays=arrays[:MOST_ARRAYS])


def preview_hdf5(path: Path, shown: str) -> PreviewPart:
    import h5py

    arrays: List[PreviewArray] = []

    def visit(name: str, found: Any) -> Optional[bool]:
        if isinstance(found, h5py.Dataset):
            arrays.append(_from_hdf5(name, found))
        return True if len(arrays) > MOST_ARRAYS else None

    with h5py.File(str(path), "r") as file:
        file.visititems(visit)  # follows no link, inside or outside of the file
    return _with_arrays(shown, "hdf5", arrays)


def preview_netcdf(path: Path, shown: str) -> PreviewPart:
    import netCDF4

    arrays: List[PreviewArray] = []
    with netCDF4.Dataset(str(path), "r") as file:
        file.set_auto_mask(True)
        for name, group in _groups(file):
            for variable in list(group.variables.values())[: MOST_ARRAYS + 1]:
                arrays.append(_from_netcdf(f"{name}{variable.name}", variable))
    return _with_arrays(shown, "netcdf", arrays)


def preview_zarr(path: Path, shown: str) -> PreviewPart:
    """The shapes come from its own JSON; values only by codecs that run no code."""
    arrays = []
    for folder in sorted(
        {file.parent for name in (".zarray", "zarr.json") for file in path.rglob(name)}
    ):
        found = _zarr_facts(folder)
        if found is not None:
            name = str(folder.relative_to(path)) if folder != path else path.name
            arrays.append(_from_zarr(name, folder, found))
        if len(arrays) > MOST_ARRAYS:
            break
    return _with_arrays(shown, "zarr", arrays)


def _with_arrays(shown: str, kind: str, arrays: List[PreviewArray]) -> PreviewPart:
    words = f"the first {MOST_ARRAYS} arrays" if len(arrays) > MOST_ARRAYS else ""
    words = words or ("" if arrays else "it holds no arrays")
    return PreviewPart(shown_path(shown), kind, note(words), arrays=arrays[:MOST_ARRAYS])


def _from_npy(path: Path) -> PreviewArray:
    import numpy

    with path.open("rb") as source:
        shape, _, kind = _header(source)
    if kind.hasobject:
        return _described(path.stem, kind, shape, about=PICKLED)
    values = numpy.load(str(path), mmap_mode="r", allow_pickle=False)
    return _described(
        path.stem, kind, shape, values.reshape(-1)[:MOST_VALUES] if values.size else None
    )


def _from_npz(path: Path) -> List[PreviewArray]:
    """Only the start of each member is unpacked: a small file may hold terabytes of zeros."""
    import numpy

    arrays = []
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist()[: MOST_ARRAYS + 1]:
            if not member.filename.endswith(".npy"):
                continue
            name = member.filename[:-4]
            with archive.open(member) as source:
                shape, in_rows, kind = _header(source)
                if kind.hasobject:
                    arrays.append(_described(name, kind, shape, about=PICKLED))
                    continue
                total = 1
                for length in shape:
                    total *= length
                content = source.read(min(total, MOST_VALUES) * kind.itemsize)
            whole = len(content) // kind.itemsize if kind.itemsize else 0
            del in_rows
            values = numpy.frombuffer(content[: whole * kind.itemsize], kind) if whole else None
            arrays.append(_described(name, kind, shape, values))
    return arrays


def _header(source: Any) -> Tuple[Tuple[int, ...], bool, Any]:
    from numpy.lib import format as npy

    version = npy.read_magic(source)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, in_columns, kind = read(source)
    return shape, in_columns, kind


def _from_hdf5(name: str, found: Any) -> PreviewArray:
    shape = tuple(found.shape or ())
    is_elsewhere = bool(found.external) or bool(found.is_virtual)
    piece = found.dtype.itemsize
    for length in found.chunks or ():
        piece *= length
    dimensions = [str(dimension.label or "") for dimension in found.dims]
    about = _about({key: found.attrs.get(key) for key in ("units", "long_name")})
    may_read = not is_elsewhere and piece <= MOST_CHUNK_BYTES and _is_plain(found.dtype)
    values = _first_values(found, shape) if may_read else None
    return _described(name, found.dtype, shape, values, dimensions=dimensions, about=about)


def _from_netcdf(name: str, variable: Any) -> PreviewArray:
    about = _about({key: getattr(variable, key, None) for key in ("units", "long_name")})
    kind, shape = variable.dtype, tuple(variable.shape)
    values = None
    chunks = variable.chunking()
    piece = getattr(kind, "itemsize", 8)
    for length in chunks if isinstance(chunks, list) else ():
        piece *= length
    if _is_plain(kind) and piece <= MOST_CHUNK_BYTES:
        values = _first_values(variable, shape)
    return _described(name, kind, shape, values, dimensions=list(variable.dimensions), about=about)


def _groups(group: Any, prefix: str = "", depth: int = 0) -> List[Tuple[str, Any]]:
    found = [(prefix, group)]
    if depth < 8:
        for name, inner in list(group.groups.items())[:MOST_ARRAYS]:
            found += _groups(inner, f"{prefix}{name}/", depth + 1)
    return found


def _zarr_facts(folder: Path) -> Optional[Dict[str, Any]]:
    """Of an array, whichever version of the format; None for a group."""
    for name in ("zarr.json", ".zarray"):
        file = folder / name
        if file.is_file() and file.stat().st_size < 1 << 20:
            facts = json.loads(file.read_text())
            if not isinstance(facts, dict) or facts.get("node_type") == "group":
                return None
            return facts
    return None


def _from_zarr(name: str, folder: Path, facts: Dict[str, Any]) -> PreviewArray:
    shape = tuple(int(length) for length in facts["shape"])
    kind = str(facts.get("data_type") or facts.get("dtype"))
    dimensions = facts.get("dimension_names") or _zarr_dimensions(folder)
    values = None
    if _is_safe_zarr(facts, kind):
        import zarr

        values = _first_values(zarr.open_array(str(folder), mode="r"), shape)
    return _described(name, kind, shape, values, dimensions=[str(one or "") for one in dimensions])


def _zarr_dimensions(folder: Path) -> List[str]:
    file = folder / ".zattrs"
    if not file.is_file() or file.stat().st_size > 1 << 20:
        return []
    facts = json.loads(file.read_text())
    names = facts.get("_ARRAY_DIMENSIONS") if isinstance(facts, dict) else None
    return [str(name) for name in names] if isinstance(names, list) else []


def _is_safe_zarr(facts: Dict[str, Any], kind: str) -> bool:
    import numpy

    codecs = list(facts.get("codecs") or [])
    codecs += [facts["compressor"]] if facts.get("compressor") else []
    codecs += list(facts.get("filters") or [])
    names = {
        str(one.get("id") or one.get("name")) if isinstance(one, dict) else "" for one in codecs
    }
    chunks = facts.get("chunks")
    if chunks is None:
        grid = facts.get("chunk_grid")
        chunks = (
            grid.get("configuration", {}).get("chunk_shape") if isinstance(grid, dict) else None
        )
    try:
        piece = numpy.dtype(kind)
    except TypeError:
        return False
    size = piece.itemsize
    for length in chunks or ():
        size *= int(length)
    return names <= _SAFE_CODECS and bool(chunks) and size <= MOST_CHUNK_BYTES and _is_plain(piece)


def _first_values(source: Any, shape: Tuple[int, ...]) -> Any:
    """A corner that holds at most so many values."""
    import numpy

    left, corner = MOST_VALUES, []
    for length in reversed(shape):
        take = max(1, min(length, left))
        corner.append(slice(0, take))
        left //= take
    if any(length == 0 for length in shape):
        return None
    found = source[tuple(reversed(corner))] if shape else source[()]
    if isinstance(found, numpy.ma.MaskedArray):
        found = found.compressed()
    return numpy.asarray(found).reshape(-1)


def _is_plain(kind: Any) -> bool:
    return getattr(kind, "kind", "O") in "biuf"


def _described(
    name: str,
    kind: Any,
    shape: Tuple[int, ...],
    values: Any = None,
    *,
    dimensions: Optional[List[str]] = None,
    about: str = "",
) -> PreviewArray:
    numbers = None
    first: List[str] = []
    if values is not None and values.size:
        first = [
            cell(value.item() if hasattr(value, "item") else value)
            for value in values[:SHOWN_VALUES]
        ]
        if _is_plain(values.dtype):
            numbers = histogram([float(value) for value in values.tolist()])
    return PreviewArray(
        shown_path(name),
        cell(kind),
        [int(length) for length in shape][:32],
        [cell(one) for one in dimensions or [] if one][:32],
        cell(about),
        numbers,
        first,
    )


def _about(facts: Dict[str, Any]) -> str:
    words = []
    for value in facts.values():
        if isinstance(value, bytes):
            value = value.decode("utf-8", "replace")
        if isinstance(value, str) and value:
            words.append(value)
    return ", ".join(reversed(words))
