"""How far an attempt has come, by what is in its folders: checkpoints and logged steps."""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from diamond.agent.tasks.folders import AttemptFolder
from diamond.core.task import Reached

TAIL_BYTES = 65536
"""Of a file of logged steps: enough for the last of them."""
STEP_FILES = ("metrics.jsonl", "tensorboard.jsonl", "checkpoints.jsonl")


def reached_by(folder: AttemptFolder) -> Reached:
    """The newest match of `from:` and the highest step of all runs of this attempt."""
    places = [folder.run_folder(run) for run in folder.runs()]
    lines = [line for place in places for name in STEP_FILES for line in _last_lines(place / name)]
    steps = [line["step"] for line in lines if _is_step(line.get("step")) and _counts(line)]
    checkpoint, modified = newest_match(folder.order().resume.pattern, folder.run_dir)
    saved = [str(line["name"]) for line in lines if line.get("event") == "saved" and "name" in line]
    return Reached(checkpoint or (saved[-1] if saved else ""), modified, max(steps, default=-1))


def newest_match(pattern: str, run_dir: Path) -> tuple[str, float]:
    """As the batch script finds it for `DIAMOND_RESUME_FROM`; ('', 0.0) when there is none."""
    if not pattern:
        return "", 0.0
    matches = glob.iglob(os.path.join(glob.escape(str(run_dir)), pattern), recursive=True)  # noqa: PTH118, PTH207
    newest = max(sorted(matches), key=_modified, default="")  # of several as new, the first by name
    return (os.path.relpath(newest, run_dir), _modified(newest)) if newest else ("", 0.0)


def _counts(line: dict[str, Any]) -> bool:
    """A checkpoint that failed or was only read does not count as progress."""
    return line.get("event") in (None, "saved")


def _is_step(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _modified(path: str) -> float:
    try:
        return os.stat(path).st_mtime  # noqa: PTH116
    except OSError:
        return 0.0


def _last_lines(file: Path) -> Iterator[dict[str, Any]]:
    try:
        with file.open("rb") as stream:
            stream.seek(max(0, stream.seek(0, os.SEEK_END) - TAIL_BYTES))
            lines = stream.read().splitlines()
    except OSError:
        return
    for line in lines:
        try:
            read = json.loads(line)
        except ValueError:
            continue
        if isinstance(read, dict):
            yield read
