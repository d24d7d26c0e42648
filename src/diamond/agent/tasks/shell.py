"""A shell inside a running task, for the person who is signed in here; no service takes part in it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, Protocol, cast

from diamond.agent.disk import read_json
from diamond.agent.folders import Folders
from diamond.agent.tasks.folders import AttemptFolder, TaskFolders
from diamond.core.errors import Conflict, NotFound
from diamond.core.native import node_names
from diamond.schedulers.base import InsideJob, OpensShells, Scheduler
from diamond.schedulers.registry import load_scheduler

INSIDE = "\ndiamond_inside=("
"""In scripts that know `shell`; an older one would begin its program a second time."""


@dataclass(frozen=True)
class Where:
    """The node: by its name, or by a rank on it; without both, the first of the job."""

    node: str = ""
    rank: int | None = None


@dataclass(frozen=True)
class RunningRun:
    folder: AttemptFolder
    number: int
    native_id: str


def open_shell(folders: Folders, task: str, where: Where, command: Sequence[str]) -> NoReturn:
    """Becomes the shell, or the command. Raises `NotFound`, `Conflict`, `Refused`, `Unanswered`."""
    call = shell_call(folders, task, where, command, terminal=os.isatty(0) and os.isatty(1))
    os.execvpe(call.words[0], list(call.words), dict(call.environment))


def shell_call(
    folders: Folders, task: str, where: Where, command: Sequence[str], *, terminal: bool
) -> InsideJob:
    run = running_run(folders, task)
    scheduler = _adapter(folders, run)
    seen = scheduler.status([run.native_id]).get(run.native_id)
    if seen is None or seen.status != "running":
        state = seen.native_state if seen else "no longer listed"
        raise Conflict(
            f"The batch job {run.native_id} of {task} is not running: {state}",
            f"See what happened: diamond show {task}",
        )
    node = _node(run, where, node_names(seen.nodes))
    script = [*_script(run.folder), str(run.number), *command]
    return scheduler.inside_job(run.native_id, script, node=node, terminal=terminal)


def running_run(folders: Folders, task: str) -> RunningRun:
    """The newest run that has started and not ended, by its own files."""
    tasks = TaskFolders(folders)
    attempts = tasks.attempts(task) if tasks.has(task) else []
    if not attempts:
        raise NotFound(
            f"There is no task {task!r} in {folders.tasks}",
            "Check which endpoint it runs on: diamond show TASK",
        )
    for folder in reversed(attempts):
        for number in reversed(folder.runs()):
            start = folder.start_of(number)
            if start is not None and folder.exit_of(number) is None:
                return RunningRun(folder, number, start.native_id)
    raise Conflict(
        f"No attempt of {task} is running here",
        f"A shell needs a running task. See its state: diamond show {task}",
    )


class ShellScheduler(Scheduler, OpensShells, Protocol):
    """A batch system with that ability."""


def _adapter(folders: Folders, run: RunningRun) -> ShellScheduler:
    name = str((read_json(run.folder.path / "native.json") or {}).get("scheduler") or "")
    scheduler = load_scheduler(name, folders.work / "schedulers" / name)
    if not isinstance(scheduler, OpensShells):
        raise Conflict(
            f"Diamond knows no way to open a shell in a running job of {name}",
            "If the site lets you sign in to nodes that run your jobs, use ssh from its login node.",
        )
    return cast(ShellScheduler, scheduler)


def _node(run: RunningRun, where: Where, nodes: Sequence[str]) -> str:
    if where.rank is not None:
        return _node_of_rank(run, where.rank)
    if where.node and nodes and where.node not in nodes:
        raise NotFound(f"The job has no node {where.node!r}", f"Its nodes: {', '.join(nodes)}")
    return where.node


def _node_of_rank(run: RunningRun, rank: int) -> str:
    ranks = run.folder.run_folder(run.number) / "ranks"
    started = {int(file.stem): file for file in ranks.glob("*.started") if file.stem.isdigit()}
    if rank not in started:
        known = f"0 to {max(started)}" if started else "none: it is a single process"
        raise NotFound(f"The run has no rank {rank}", f"Its ranks: {known}")
    return started[rank].read_text().split()[0]


def _script(folder: AttemptFolder) -> list[str]:
    script = Path(folder.place("script.sh"))
    if INSIDE not in script.read_text():
        raise Conflict(
            f"{folder.task} was prepared by an older agent, whose jobs have no shell",
            "Tasks and attempts that start from now on have one.",
        )
    return ["bash", str(script), "shell"]
