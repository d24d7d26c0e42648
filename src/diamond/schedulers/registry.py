"""How a scheduler is found by name."""

from __future__ import annotations

import logging
from importlib import metadata
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, cast

from diamond.core.errors import BadRequest
from diamond.schedulers.base import CanBeDetected, NativeTools, Scheduler, tools_of

log = logging.getLogger(__name__)

LOCAL = "local"
GROUP = "diamond.schedulers"
Adapter = Callable[[Path], Scheduler]


def load_scheduler(name: str, folder: Path) -> Scheduler:
    """The adapter of that name; `folder` is a private place for what it must remember."""
    adapters = _adapters()
    if name not in adapters:
        raise BadRequest(
            f"There is no scheduler {name!r}", f"Known here: {', '.join(sorted(adapters))}."
        )
    folder.mkdir(parents=True, exist_ok=True)
    return adapters[name]()(folder)


def scheduler_names() -> List[str]:
    return sorted(_adapters())


def detect() -> str:
    """The batch system of this machine, as its adapter finds it; else the machine itself."""
    for name, adapter in _loaded().items():
        if isinstance(adapter, CanBeDetected) and adapter.is_here():
            return name
    return this_machine()


def this_machine() -> str:
    """The adapter that runs jobs on this machine, whatever batch system it belongs to."""
    return LOCAL


def is_inside_a_job(environment: Mapping[str, str]) -> bool:
    """Whether a process with these variables is a job of a batch system that an adapter knows."""
    return any(tools.job_variable in environment for tools in _tools() if tools.job_variable)


def crontabs() -> List[str]:
    """The crontabs that batch systems bring with them."""
    return [tools.crontab for tools in _tools() if tools.crontab]


def _tools() -> List[NativeTools]:
    return [tools_of(adapter) for adapter in _loaded().values()]


def _loaded() -> Dict[str, object]:
    """Without those that cannot be loaded: a broken package of somebody else stops no agent."""
    adapters: Dict[str, object] = {}
    for name, load in sorted(_adapters().items()):
        try:
            adapters[name] = load()
        except Exception:
            log.exception("the scheduler adapter %s cannot be loaded", name)
    return adapters


def _adapters() -> Dict[str, Callable[[], Adapter]]:
    return {**_built_in(), **_entry_points()}


def _built_in() -> Dict[str, Callable[[], Adapter]]:
    """Named here too, since the agent's one file carries no package metadata."""
    return {LOCAL: _local, "slurm": _slurm}


def _local() -> Adapter:
    from diamond.schedulers.local import LocalScheduler

    return LocalScheduler


def _slurm() -> Adapter:
    from diamond.schedulers.slurm import SlurmScheduler

    return SlurmScheduler


def _entry_points() -> Dict[str, Callable[[], Adapter]]:
    installed = cast(Any, metadata.entry_points())
    points = (
        installed.select(group=GROUP) if hasattr(installed, "select") else installed.get(GROUP, ())
    )
    return {point.name: point.load for point in points}
