"""The preview of a tree as a process of its own; each file in a child of it, with limits on time and memory."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import sys
import time
from pathlib import Path
from typing import Any, Callable, Dict, List

from diamond.core.decoding import decode, encode
from diamond.core.previews import MOST_BYTES, PreviewPart, TreePreview, read_preview
from diamond.data.manifest import FileEntry, load_manifest
from diamond.data.previews.arrays import (
    preview_hdf5,
    preview_netcdf,
    preview_numpy,
    preview_zarr,
)
from diamond.data.previews.cells import note, shown_path
from diamond.data.previews.formats import NEEDS, Chosen, choose, kinds_of
from diamond.data.previews.pictures import preview_images, preview_text
from diamond.data.previews.tables import preview_csv, preview_json_lines, preview_parquet

PART_SECONDS = 60.0
PART_MEMORY = 3 << 30
LOOK_SECONDS = 0.01
PREVIEWS: Dict[str, Callable[[Path, str], PreviewPart]] = {
    "csv": preview_csv,
    "jsonl": preview_json_lines,
    "parquet": preview_parquet,
    "numpy": preview_numpy,
    "hdf5": preview_hdf5,
    "netcdf": preview_netcdf,
    "zarr": preview_zarr,
    "text": preview_text,
}


def run_preview(job: Dict[str, Any], folder: Path) -> Dict[str, Any]:
    """`{"preview": …}`. A file that cannot be shown is a note in it, never a failure."""
    root = Path(job["root"])
    entries = [
        one
        for one in load_manifest(Path(job["manifest"]), str(job["tree"]))
        if isinstance(one, FileEntry)
    ]
    lacking = str(job.get("lacking") or "")
    parts = [_part(root, one, folder, lacking) for one in choose(entries)]
    preview = TreePreview(kinds_of(entries), _fitting(parts))
    read_preview(encode(preview))  # what the service will ask of it
    return {"preview": encode(preview)}


def _part(root: Path, chosen: Chosen, folder: Path, lacking: str) -> PreviewPart:
    shown = shown_path(chosen.path)
    if lacking and chosen.format in NEEDS:
        return PreviewPart(shown, chosen.format, note(lacking))
    out = folder / "part.json"
    out.unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        _child(root, chosen, out)
    problem = _wait(child)
    try:
        answer = json.loads(out.read_text())
        return decode(PreviewPart, answer["part"]) if "part" in answer else _failed(chosen, answer)
    except (OSError, ValueError, KeyError):
        return PreviewPart(shown, chosen.format, note(problem or "it cannot be read"))


def _failed(chosen: Chosen, answer: Dict[str, Any]) -> PreviewPart:
    return PreviewPart(shown_path(chosen.path), chosen.format, note(str(answer["error"])))


def _child(root: Path, chosen: Chosen, out: Path) -> None:
    """Never returns."""
    status = 1
    try:
        most = _memory_now() + PART_MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_FSIZE, (4 * MOST_BYTES, 4 * MOST_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.environ["ARROW_DEFAULT_MEMORY_POOL"] = "system"
        os.environ["OPENBLAS_NUM_THREADS"] = "1"
        try:
            answer: Dict[str, Any] = {"part": encode(_read(root, chosen))}
        except MemoryError:
            answer = {"error": f"reading it takes more than {PART_MEMORY >> 30} GB of memory"}
        except Exception as error:
            # Libraries raise almost anything for a broken file.
            words = str(error).strip().splitlines() or [type(error).__name__]
            answer = {"error": f"it cannot be read: {words[0][:200]}"}
        out.write_text(json.dumps(answer))
        status = 0
    finally:
        sys.stderr.flush()
        os._exit(status)


def _memory_now() -> int:
    """Address space that this process has taken before it reads anything."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except (OSError, ValueError):
        return 0
    return pages * resource.getpagesize()


def _read(root: Path, chosen: Chosen) -> PreviewPart:
    if chosen.format == "image":
        return preview_images([(path, root / path) for path in (chosen.path, *chosen.others)])
    return PREVIEWS[chosen.format](root / chosen.path, chosen.path)


def _wait(child: int) -> str:
    """Why it ended, where it did not end well."""
    until = time.monotonic() + PART_SECONDS
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return "" if status == 0 else "reading it crashed a library"
        time.sleep(LOOK_SECONDS)
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return f"reading it takes longer than {PART_SECONDS:.0f} s"


def _fitting(parts: List[PreviewPart]) -> List[PreviewPart]:
    """As many as the service takes."""
    kept, size = [], 8192
    for part in parts:
        size += len(json.dumps(encode(part)))
        if size > MOST_BYTES:
            break
        kept.append(part)
    return kept
