"""Scalars from the event files that an unmodified script writes, sent as one more stream."""

from __future__ import annotations

import json
import logging
import time
from dataclasses import dataclass, field
from pathlib import Path

from diamond.agent.disk import read_json, write_json
from diamond.agent.tasks.folders import AttemptFolder
from diamond.launchers.ranks.event_files import find_event_files, written_since
from diamond.training.tensorboard_reader import read_scalars

log = logging.getLogger(__name__)

LOOK_SECONDS = 15.0


@dataclass
class Scalars:
    """Checks run directories now and then."""

    _looked_at: float = field(default_factory=time.monotonic)
    _ended: set[str] = field(default_factory=set)

    def is_due(self) -> bool:
        """Whether it is time for the next check; then it counts as made."""
        if time.monotonic() - self._looked_at < LOOK_SECONDS:
            return False
        self._looked_at = time.monotonic()
        return True

    def finish(self, folder: AttemptFolder, newest_run: int) -> None:
        """A last look when a run has ended."""
        run = f"{folder.attempt}.{newest_run}"
        if run not in self._ended:
            self._ended.add(run)
            self.append_new(folder, newest_run)

    def append_new(self, folder: AttemptFolder, run: int) -> None:
        """Append what is new in the event files to the run's `tensorboard.jsonl`."""
        target = folder.run_folder(run)
        interrupted = (read_json(target / "tensorboard.state") or {}).get("file")
        files = written_since(target / "started", find_event_files(folder.run_dir))
        for file in sorted(files, key=lambda file: str(file) != interrupted):
            try:
                append_scalars(file, target)
            except OSError as error:
                log.warning("%s: %s", file, error)


def append_scalars(file: Path, target: Path) -> None:
    """Exactly once, also after a crash: the state says where a batch began, and reading it again gives the same lines."""
    state_file, lines_file = target / "tensorboard.state", target / "tensorboard.jsonl"
    state = read_json(state_file) or {"size": 0, "offsets": {}}
    size = lines_file.stat().st_size if lines_file.exists() else 0
    offsets = dict(state["offsets"])
    points, offset = read_scalars(file, int(offsets.get(str(file), 0)))
    if not points:
        return
    lines = b"".join(json.dumps(point).encode() + b"\n" for point in points)
    already = max(0, size - int(state["size"])) if state.get("file") == str(file) else 0
    write_json(state_file, {**state, "file": str(file), "size": size - already})
    with lines_file.open("ab") as stream:
        stream.write(lines[already:])
    written = {"size": size - already + len(lines), "offsets": {**offsets, str(file): offset}}
    write_json(state_file, written)
