"""Runs that W&B wrote offline: `offline-run-<time>-<id>/run-<id>.wandb` with `files/config.yaml` beside it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml

from diamond.sdk.importing.runs import ForeignRun, Point
from diamond.training.wandb_reader import read_wandb

_STARTED = re.compile(r"run-(\d{8}_\d{6})-")


def wandb_folders(files: Sequence[Path]) -> Iterator[ForeignRun]:
    for file in files:
        yield _run(file)


def _run(file: Path) -> ForeignRun:
    place = file.parent
    curves = _curves(file)
    times = [at for points in curves.values() for _, at, _ in points if at]
    started = _start(place.name) or min(times, default=file.stat().st_mtime)
    config = _config(place / "files" / "config.yaml")
    about = _json(place / "files" / "wandb-metadata.json")
    return ForeignRun(
        source="wandb",
        key=file.stem.removeprefix("run-"),
        name=place.name.removeprefix("offline-"),
        experiment=str(about.get("program") or ""),
        state="succeeded",
        created=started,
        started=started,
        ended=max(times, default=None) if times else None,
        params=config,
        commit=str((about.get("git") or {}).get("commit") or ""),
        curves=curves,
    )


def _curves(file: Path) -> dict[str, list[Point]]:
    curves: dict[str, list[Point]] = {}
    offset, before = 0, -1
    while offset != before:
        before = offset
        lines, offset = read_wandb(file, offset)
        for line in lines:
            step, at = line.get("step"), line.get("time")
            missing = line.get("nonfinite") or []
            for name, value in line.items():
                if name in ("step", "time", "nonfinite"):
                    continue
                if value is not None or name in missing:
                    curves.setdefault(name, []).append((step, at, value))
    return curves


def _config(file: Path) -> dict[str, Any]:
    """`name: {value: …}`; W&B's own begin with an underscore."""
    try:
        data = yaml.safe_load(file.read_text()) if file.is_file() else {}
    except (yaml.YAMLError, OSError, ValueError):
        return {}
    config = data if isinstance(data, dict) else {}
    return {
        str(name): entry.get("value")
        for name, entry in config.items()
        if isinstance(entry, dict) and "value" in entry and not str(name).startswith("_")
    }


def _json(file: Path) -> dict[str, Any]:
    try:
        data = json.loads(file.read_text()) if file.is_file() else {}
    except (ValueError, OSError):
        return {}
    return data if isinstance(data, dict) else {}


def _start(name: str) -> float | None:
    match = _STARTED.search(name)
    return datetime.strptime(match[1], "%Y%m%d_%H%M%S").timestamp() if match else None
