"""Local jobs on disk: a job's state is the folder it is in, and moves by one rename.

`queued/<id>` → `running/<id>` → `ended/<id>`; `names/<name>` holds the id. Ids sort by the time of submission.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
import shutil
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Tuple
from urllib.parse import quote

QUEUED, RUNNING, ENDED = "queued", "running", "ended"
KEPT_SECONDS = 30 * 86400


@dataclass(frozen=True)
class LocalJob:
    id: str
    name: str
    script: str
    folder: str
    cores: int
    memory_mb: int
    gpus: int
    walltime_seconds: int
    submitted_at: float
    threads: int = 0
    """For each of its processes; 0 in files of older agents."""
    environment: Dict[str, str] = field(default_factory=dict)
    """Filled in at the start; says also which GPUs it has."""


class LocalStore:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in (QUEUED, RUNNING, ENDED, "names", "new"):
            (folder / name).mkdir(parents=True, exist_ok=True)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """One at a time, among threads and processes alike."""
        with (self.folder / "lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def add(self, job: LocalJob) -> None:
        """The name first: a job that is queued can always be found."""
        fresh = self.folder / "new" / job.id
        fresh.mkdir()
        write(fresh / "job.json", job_text(job))
        write(self._name_file(job.name), job.id)
        fresh.rename(self.folder / QUEUED / job.id)

    def find(self, name: str) -> Optional[str]:
        try:
            job_id = self._name_file(name).read_text(encoding="utf-8")
        except OSError:
            return None
        return job_id if self.place(job_id) else None

    def ids(self, state: str) -> List[str]:
        return sorted(path.name for path in (self.folder / state).iterdir())

    def place(self, job_id: str) -> Optional[Tuple[str, Path]]:
        """Where a job is; looked for twice, since it may move between two looks."""
        for state in (QUEUED, RUNNING, ENDED, QUEUED, RUNNING):
            path = self.folder / state / job_id
            if is_id(job_id) and path.is_dir():
                return state, path
        return None

    def read(self, path: Path) -> Optional[LocalJob]:
        try:
            said = json.loads((path / "job.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        known = LocalJob.__dataclass_fields__
        return LocalJob(**{key: said[key] for key in said if key in known})

    def move(self, job_id: str, before: str, after: str) -> Path:
        target = self.folder / after / job_id
        (self.folder / before / job_id).rename(target)
        return target

    def forget_old(self) -> None:
        """What ended a month ago is gone here; its run directory is another matter."""
        before = time.time() - KEPT_SECONDS
        for job_id in self.ids(ENDED):
            path = self.folder / ENDED / job_id
            if path.stat().st_mtime < before:
                job = self.read(path)
                shutil.rmtree(path)
                if job and not self.find(job.name):
                    self._name_file(job.name).unlink(missing_ok=True)

    def _name_file(self, name: str) -> Path:
        return self.folder / "names" / quote(name, safe="")


def job_text(job: LocalJob) -> str:
    return json.dumps(asdict(job), ensure_ascii=False)


def new_job_id() -> str:
    return f"{time.time_ns() // 1000:x}-{secrets.token_hex(3)}"


def is_id(said: str) -> bool:
    """Whatever else is asked for is not ours, and never a path."""
    return bool(said) and all(c in "0123456789abcdef-" for c in said)


def write(path: Path, text: str) -> None:
    """A file that is there whole or not at all."""
    aside = path.with_name(f".{path.name[:200]}.new")
    with aside.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    aside.replace(path)
