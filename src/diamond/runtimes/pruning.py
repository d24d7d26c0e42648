"""What is in the image folder that nobody needs: shown, and removed on request."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Sequence

from diamond.runtimes.building import sweep
from diamond.runtimes.caches import PROGRAMS, charliecloud_cache, oci_layers, remove_oci_layers
from diamond.runtimes.image_folders import ImageFolders, read_json
from diamond.runtimes.manifests import ImageManifest
from diamond.runtimes.namespaces import remove_tree
from diamond.runtimes.sharing import unpublish
from diamond.runtimes.store import remove, stored_images

DAY = 86400.0


@dataclass(frozen=True)
class Unneeded:
    kind: str
    name: str
    bytes: int
    why: str
    path: Path
    manifest: Optional[ImageManifest] = None
    kept_by: str = ""
    """podman or docker, in whose own storage it has the name `layer`."""
    layer: str = ""

    def as_data(self) -> Dict[str, Any]:
        return {"kind": self.kind, "name": self.name, "bytes": self.bytes, "why": self.why}


def prune(
    image_folders: ImageFolders,
    *,
    images: Sequence[str],
    days: float,
    dry_run: bool,
    now: float,
    group: Optional[ImageFolders] = None,
) -> List[Dict[str, Any]]:
    """`images` are sha256 of files that the service knows to be unwanted; `group` is the folder of a Unix group."""
    sweep(image_folders)
    before = now - days * DAY
    unneeded = [
        *_images(image_folders, images),
        *_old(image_folders, before),
        *_leftovers(image_folders, now),
    ]
    unneeded += [
        *_caches(image_folders, before),
        *(_of_group(group, image_folders, images, before) if group else ()),
    ]
    for item in unneeded if not dry_run else []:
        _remove(image_folders, item)
    return [item.as_data() for item in unneeded]


def _remove(image_folders: ImageFolders, item: Unneeded) -> None:
    if item.kept_by:
        remove_oci_layers(image_folders, item.kept_by, [item.layer])
    elif item.kind == "group-file":
        unpublish(item.path)
    elif item.manifest is not None:
        remove(image_folders, item.manifest)
    elif item.path.is_dir():
        remove_tree(item.path)
    else:
        item.path.unlink(missing_ok=True)


def _images(image_folders: ImageFolders, unwanted: Sequence[str]) -> Iterator[Unneeded]:
    for manifest in stored_images(image_folders):
        if manifest.sha256 in unwanted:
            kind = "venv" if manifest.format == "venv" else "image"
            size = 0 if manifest.shared else manifest.size
            why = "it has no name, and no task used it for long"
            yield Unneeded(kind, manifest.sha256[:12], size, why, Path(manifest.file), manifest)


def _old(image_folders: ImageFolders, before: float) -> Iterator[Unneeded]:
    """Layers and bases that no build touched since: the next build makes them again."""
    for layer in image_folders.layers.glob("apptainer/*"):
        if _touched(layer) < before:
            yield Unneeded(
                "layer", layer.name[:12], _size(layer), "no build used it for long", layer
            )
    for base in image_folders.bases.iterdir() if image_folders.bases.is_dir() else ():
        if base.is_dir() and _touched(base) < before:
            base_note = read_json(base / "base.json") or {}
            name = str(base_note.get("reference") or base.name[:12])
            yield Unneeded("base", name, _size(base), "no build used it for long", base)


def _caches(image_folders: ImageFolders, before: float) -> Iterator[Unneeded]:
    """What runtimes keep in their own storage."""
    why = "made long ago, and no newer step needs it"
    for program in PROGRAMS:
        for name, size in oci_layers(image_folders, program, before):
            yield Unneeded(
                "layer", name[-12:], size, why, image_folders.root, kept_by=program, layer=name
            )
    cache = charliecloud_cache(image_folders)
    if cache and max(map(_touched, cache)) < before:
        for path in cache:
            why = "no build used charliecloud for long"
            yield Unneeded("cache", f"charliecloud {path.name}", _size(path), why, path)


def _of_group(
    group: ImageFolders, image_folders: ImageFolders, unwanted: Sequence[str], before: float
) -> Iterator[Unneeded]:
    """Files that this user shared with their group: only they may remove them, and others may still read them."""
    wanted = {manifest.sha256 for manifest in stored_images(image_folders)} - set(unwanted)
    for file in sorted(group.store.glob("*.sqfs")):
        is_own = file.lstat().st_uid == os.geteuid()
        if is_own and file.stem not in wanted and _time(file) < before:
            why = "yours in the group's folder; nobody read it for long"
            yield Unneeded("group-file", file.stem[:12], _size(file), why, file)


def _leftovers(image_folders: ImageFolders, now: float) -> Iterator[Unneeded]:
    """Files that a broken transfer or an old agent has left."""
    for part in (image_folders.root / "arriving").glob("*"):
        if now - _touched(part) > DAY:
            yield Unneeded("unfinished", part.name[:12], _size(part), "its move has ended", part)
    builders = sorted((image_folders.root.parent / "builder").glob("builder-*.pyz"), key=_touched)
    for old in builders[:-1]:
        if now - _touched(old) > DAY:
            yield Unneeded("cache", old.name, _size(old), "of an older agent", old)


def _touched(path: Path) -> float:
    """The newest of a folder and what is directly in it."""
    inner = path.iterdir() if path.is_dir() and not path.is_symlink() else ()
    return max((_time(inner_path) for inner_path in [path, *inner]), default=time.time())


def _time(path: Path) -> float:
    try:
        status = path.lstat()
    except OSError:
        return 0.0
    return max(status.st_mtime, status.st_atime if path.is_file() else 0.0)


def _size(path: Path) -> int:
    if not path.is_dir():
        return path.lstat().st_size
    return sum(
        inner_path.lstat().st_size for inner_path in path.rglob("*") if not inner_path.is_dir()
    )
