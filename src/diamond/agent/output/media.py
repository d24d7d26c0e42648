"""Pictures and tables that a script logged with W&B or MLflow: files with known names in its run directory."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from diamond.runtimes.below import opened_below

MOST_ITEMS = 500
MOST_ENTRIES = 50_000
"""Names that are looked at: a run directory can hold millions."""
DEEPEST = 12
_PICTURE = r"png|jpe?g|gif|bmp|webp"
_WANDB = re.compile(
    r"(?:.*/)?wandb/(?:offline-)?run-[^/]+/files/media/"
    rf"(?:images/(?P<image>.+)_(?P<n>\d+)_[0-9a-f]+\.(?:{_PICTURE})|table/(?P<table>.+)_(?P<m>\d+)_[0-9a-f]+\.table\.json)"
)
_MLFLOW = re.compile(
    r"(?:.*/)?ml(?:runs|artifacts)/[^/]+/[^/]+/artifacts/(?:images/)?"
    rf"(?P<name>[^%+]+?)(?:[%+]step[%+](?P<step>\d+)[%+]timestamp[%+]\d+[%+][0-9a-f-]+)?\.(?:{_PICTURE})"
)


def list_media(root: Path) -> list[dict[str, Any]]:
    """The newest ones, by name and step; links are not followed."""
    found = []
    with opened_below(root, "") as descriptor:
        for path, facts in _files(descriptor):
            item = media_item(path)
            if item is not None:
                found.append(
                    {**item, "path": path, "size": facts.st_size, "modified": facts.st_mtime}
                )
    newest = sorted(found, key=lambda item: -float(item["modified"]))[:MOST_ITEMS]
    return sorted(newest, key=lambda item: (str(item["name"]), int(item["step"] or 0)))


def media_item(path: str) -> dict[str, Any] | None:
    """What a path of a run directory is, by its name; None for other files."""
    wandb = _WANDB.fullmatch(path)
    if wandb is not None:
        is_image = wandb["image"] is not None
        name, step = (wandb["image"], wandb["n"]) if is_image else (wandb["table"], wandb["m"])
        kind = "image" if is_image else "table"
        return {"source": "wandb", "kind": kind, "name": name, "step": int(step[:15])}
    mlflow = _MLFLOW.fullmatch(path)
    if mlflow is not None and "compressed" not in path:
        step = mlflow["step"]
        name = mlflow["name"]
        return {
            "source": "mlflow",
            "kind": "image",
            "name": name,
            "step": int(step[:15]) if step else None,
        }
    return None


def _files(root: int) -> Iterator[tuple[str, os.stat_result]]:
    """Plain files below a folder, at most so many entries."""
    count = 0
    for folder, folders, files, descriptor in os.fwalk(".", dir_fd=root, follow_symlinks=False):
        place = os.path.normpath(folder)
        prefix = "" if place == "." else f"{place}/"
        if prefix.count("/") > DEEPEST:
            folders.clear()
        folders.sort()
        count += len(folders) + len(files)
        if count > MOST_ENTRIES:
            return
        if "wandb" not in prefix and "mlruns" not in prefix and "mlartifacts" not in prefix:
            continue
        for name in files:
            try:
                facts = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            except OSError:
                continue
            if stat.S_ISREG(facts.st_mode) and name.isprintable():
                yield prefix + name, facts
