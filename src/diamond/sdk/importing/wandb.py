"""Runs that W&B wrote offline: `offline-run-<time>-<id>/run-<id>.wandb` with `files/config.yaml` beside it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml

from diamond.sdk.importing.runs import ForeignRun, Point
from diamond.training.tensorboard_event import BadRecord, fields
from diamond.training.wandb_reader import read_records, read_wandb

CONFIG, RUN = 5, 17
RUN_PROJECT, RUN_CONFIG, RUN_NAME, RUN_TAG = 3, 4, 8, 10
VALUE_JSON = 16
"""Field numbers of wandb_internal.proto, which never change."""
_STARTED = re.compile(r"run-(\d{8}_\d{6})-")


def wandb_folders(files: Sequence[Path]) -> Iterator[ForeignRun]:
    for file in files:
        yield _run(file)


def _run(file: Path) -> ForeignRun:
    place = file.parent
    curves = _curves(file)
    times = [at for points in curves.values() for _, at, _ in points if at]
    started = _start(place.name) or min(times, default=file.stat().st_mtime)
    known = _about(file)
    config = {**known.config, **_config(place / "files" / "config.yaml")}
    about = _json(place / "files" / "wandb-metadata.json")
    return ForeignRun(
        source="wandb",
        key=file.stem.removeprefix("run-"),
        name=known.name or place.name.removeprefix("offline-"),
        experiment=known.project or str(about.get("program") or ""),
        state="succeeded",
        created=started,
        started=started,
        ended=max(times, default=None) if times else None,
        params=config,
        tags=known.tags,
        commit=str((about.get("git") or {}).get("commit") or ""),
        curves=curves,
    )


@dataclass
class _About:
    """What the record of the run says; later records of its configuration replace earlier ones."""

    name: str = ""
    project: str = ""
    tags: list[str] = field(default_factory=list)
    config: dict[str, Any] = field(default_factory=dict)


def _about(file: Path) -> _About:
    about = _About()
    for record in read_records(file):
        try:
            for number, content in fields(record):
                if number == CONFIG and isinstance(content, bytes):
                    about.config |= _updates(content)
                elif number == RUN and isinstance(content, bytes):
                    _take_run(about, content)
        except BadRecord:
            continue
    about.config = {name: value for name, value in about.config.items() if name[:1] != "_"}
    return about


def _take_run(about: _About, run: bytes) -> None:
    for number, content in fields(run):
        if not isinstance(content, bytes):
            continue
        if number == RUN_CONFIG:
            about.config |= _updates(content)
        elif number == RUN_NAME:
            about.name = content.decode(errors="replace")
        elif number == RUN_PROJECT:
            about.project = content.decode(errors="replace")
        elif number == RUN_TAG:
            about.tags.append(content.decode(errors="replace"))


def _updates(config: bytes) -> dict[str, Any]:
    """`{key, nested_key…, value_json}` for each; nested ones are joined by dots."""
    found: dict[str, Any] = {}
    for number, item in fields(config):
        if number != 1 or not isinstance(item, bytes):
            continue
        key, nested, value = "", [], None
        for part, content in fields(item):
            if not isinstance(content, bytes):
                continue
            if part == 1:
                key = content.decode(errors="replace")
            elif part == 2:
                nested.append(content.decode(errors="replace"))
            elif part == VALUE_JSON:
                value = _value(content)
        found[".".join(nested) or key] = value
    return found


def _value(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return content.decode(errors="replace")


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
