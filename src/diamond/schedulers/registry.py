"""How a scheduler is found by name."""

from __future__ import annotations

import shutil
from importlib import metadata
from pathlib import Path
from typing import Any, Callable, Dict, List, cast

from diamond.core.errors import BadRequest, DiamondError
from diamond.schedulers.base import Scheduler

GROUP = "diamond.schedulers"
Adapter = Callable[[Path], Scheduler]


def load_scheduler(name: str, folder: Path) -> Scheduler:
    """The adapter of that name; `folder` is a private place for what it must remember."""
    adapters = {**_built_in(), **_entry_points()}
    if name not in adapters:
        raise BadRequest(
            f"There is no scheduler {name!r}", f"Known here: {', '.join(sorted(adapters))}."
        )
    folder.mkdir(parents=True, exist_ok=True)
    return adapters[name]()(folder)


def scheduler_names() -> List[str]:
    return sorted({**_built_in(), **_entry_points()})


def detect() -> str:
    """`slurm` where sbatch answers, else `local`."""
    from diamond.schedulers.slurm_calls import ask

    if not shutil.which("sbatch"):
        return "local"
    try:
        return "slurm" if ask(["sbatch", "--version"]).returncode == 0 else "local"
    except DiamondError:
        return "local"


def _built_in() -> Dict[str, Callable[[], Adapter]]:
    """Named here too, since the agent's one file carries no package metadata."""
    return {"local": _local, "slurm": _slurm}


def _local() -> Adapter:
    from diamond.schedulers.local import LocalScheduler

    return LocalScheduler


def _slurm() -> Adapter:
    from diamond.schedulers.slurm import SlurmScheduler

    return SlurmScheduler


def _entry_points() -> Dict[str, Callable[[], Adapter]]:
    found = cast(Any, metadata.entry_points())
    points = found.select(group=GROUP) if hasattr(found, "select") else found.get(GROUP, ())
    return {point.name: point.load for point in points}
