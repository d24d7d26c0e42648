"""A folder of checkpoints: who owns it, which are complete, which to remove. Layout: `docs/internals/checkpoints.md`."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, FrozenSet, List, Optional, Set, Tuple

from diamond.training.checkpoints import manifest
from diamond.training.checkpoints.errors import CheckpointError, Damaged, Superseded

LATEST = "latest"
_SAVED = re.compile(r"step-(\d+)-c(\d+)")
_TRIED = re.compile(r"\.saving-step-\d+-c(\d+)-(\d+)")
_ASIDE = re.compile(r"\.(?:saving|gone)-step-\d+-c(\d+)")


@dataclass(frozen=True)
class Saved:
    """A committed checkpoint. One of a later run is newer than any of an earlier run, whatever its step."""

    path: Path
    claim: int
    step: int

    @property
    def order(self) -> Tuple[int, int]:
        return self.claim, self.step


@dataclass(frozen=True)
class Keep:
    """Which checkpoints to keep: the newest, and optionally the best by a metric."""

    newest: int = 2
    best: str = ""
    """`min`, `max`, or empty for none."""
    damaged: FrozenSet[str] = frozenset()
    """Names of those that a resume skipped; they are not kept."""


class Folder:
    """All operations on names in a checkpoint folder; each change is one rename."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def claim(self, owner: Dict[str, Any]) -> int:
        """Take over the folder from earlier runs; the number grows with every run.

        Raises Superseded if a later attempt of the same task already has it.
        """
        self._refuse_older(owner)
        (self.root / "claims").mkdir(parents=True, exist_ok=True)
        number = self.highest_claim() + 1
        while not _made(self._claim_path(number)):
            number += 1
        write_durably(self._claim_path(number) / "owner.json", json.dumps(owner).encode())
        self._remove_leftovers(number)
        return number

    def highest_claim(self) -> int:
        return max((int(name) for name in self._claims()), default=0)

    def check_owned(self, claim: int) -> None:
        highest = self.highest_claim()
        if highest > claim:
            raise Superseded(
                f"{self.root}: run {highest} of this folder has started, so run {claim} no longer saves"
            )

    def saved(self) -> List[Saved]:
        """Committed checkpoints, newest first."""
        if not self.root.is_dir():
            return []
        matches = [(path, _SAVED.fullmatch(path.name)) for path in self.root.iterdir()]
        saved = [Saved(path, int(m.group(2)), int(m.group(1))) for path, m in matches if m]
        return sorted(saved, key=lambda checkpoint: checkpoint.order, reverse=True)

    def name_for(self, step: int, claim: int) -> str:
        return f"step-{step:08d}-c{claim:04d}"

    def aside(self, name: str, serial: int) -> Path:
        """Where a checkpoint is written before it is committed; `serial` separates a second try from the first."""
        return self.root / f".saving-{name}-{serial}"

    def commit(self, written: Path, name: str, claim: int) -> Path:
        """Turn a complete, synced folder into a checkpoint, then move the pointer."""
        self.check_owned(claim)
        target = self.root / name
        written.rename(target)
        sync_folder(self.root)
        self._point_to(name, claim)
        return target

    def prune(self, keep: Keep, claim: int) -> List[str]:
        """Remove what need not be kept, and return the removed names. Does nothing if a later run owns the folder."""
        if self.highest_claim() > claim:
            return []
        saved = self.saved()
        whole = [checkpoint for checkpoint in saved if checkpoint.path.name not in keep.damaged]
        staying = {checkpoint.path for checkpoint in whole[: max(1, keep.newest)]} | best_of(
            whole, keep.best
        )
        going = [checkpoint.path for checkpoint in saved if checkpoint.path not in staying]
        for path in going:
            self.remove(path)
        return [path.name for path in going]

    def sweep(self, claim: int, serial: int) -> None:
        """Remove what dead writers of this run left half written."""
        for path in self.root.iterdir():
            match = _TRIED.fullmatch(path.name)
            if match and int(match.group(1)) == claim and int(match.group(2)) < serial:
                self.remove(path)

    def remove(self, path: Path) -> None:
        """Rename first: a half-removed folder must not look like a checkpoint."""
        gone = path if path.name.startswith(".") else path.with_name(f".gone-{path.name}")
        try:
            if gone != path:
                path.rename(gone)
            shutil.rmtree(gone, ignore_errors=True)
        except OSError:
            return

    def _point_to(self, name: str, claim: int) -> None:
        aside = self.root / f".{LATEST}-{claim}"
        aside.unlink() if aside.is_symlink() else None
        aside.symlink_to(name)
        aside.replace(self.root / LATEST)
        sync_folder(self.root)

    def _claims(self) -> List[str]:
        try:
            names = [path.name for path in (self.root / "claims").iterdir()]
        except FileNotFoundError:
            return []
        return [name for name in names if name.isdigit()]

    def _claim_path(self, number: int) -> Path:
        return self.root / "claims" / f"{number:04d}"

    def _refuse_older(self, owner: Dict[str, Any]) -> None:
        """An attempt that starts late must not continue from a later one's work."""
        highest = self._owner(self.highest_claim())
        same_task = highest.get("task") == owner.get("task") and owner.get("task")
        if same_task and _age(highest) > _age(owner):
            raise Superseded(f"{self.root}: a later attempt of this task is using the checkpoints")

    def _owner(self, number: int) -> Dict[str, Any]:
        try:
            return dict(json.loads((self._claim_path(number) / "owner.json").read_bytes()))
        except (OSError, ValueError):
            return {}

    def _remove_leftovers(self, claim: int) -> None:
        """Remove what earlier runs left half written; such a run that is still alive then fails to commit."""
        for path in self.root.iterdir():
            match = _ASIDE.match(path.name)
            if match and int(match.group(1)) < claim:
                self.remove(path)


def best_of(saved: List[Saved], mode: str) -> Set[Path]:
    """The one with the best metric, if a mode is set and any has a metric."""
    measured = [
        (metric, checkpoint.path)
        for checkpoint in saved
        for metric in [_metric(checkpoint)]
        if metric is not None
    ]
    if not mode or not measured:
        return set()
    choose = min if mode == "min" else max
    return {choose(measured, key=lambda pair: pair[0])[1]}


def write_durably(path: Path, content: bytes) -> None:
    """Atomic, and on disk when this returns."""
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    with aside.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    aside.replace(path)
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _metric(checkpoint: Saved) -> Optional[float]:
    """None for NaN, which cannot be compared."""
    try:
        metric = manifest.read(checkpoint.path).metric
    except Damaged:
        return None
    return metric if metric is not None and math.isfinite(metric) else None


def _age(owner: Dict[str, Any]) -> Tuple[int, int]:
    return int(owner.get("attempt_number") or 0), int(owner.get("run") or 0)


def _made(path: Path) -> bool:
    try:
        path.mkdir()
    except FileExistsError:
        return False
    except OSError as error:
        raise CheckpointError(
            f"{path}: checkpoints cannot be written here: {error.strerror}"
        ) from error
    return True
