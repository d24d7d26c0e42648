"""Reads what the machine decides a chain from: the files of its attempts, beside what is known of them in memory."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace

from diamond.agent.tasks.folders import BARRED, AttemptFolder, TaskFolders
from diamond.agent.tasks.lifetimes import run_seconds
from diamond.agent.tasks.machine.chain import ChainState
from diamond.agent.tasks.machine.state import AttemptFiles, AttemptPhase, AttemptState


def read_attempt(folder: AttemptFolder) -> AttemptState:
    """An attempt as its folder describes it, before anything else is known."""
    order = folder.order()
    return AttemptState(
        folder.task,
        folder.attempt,
        number=folder.number,
        after=folder.after,
        is_early=folder.is_early,
        resume=order.resume,
        walltime_minutes=order.resources.walltime_minutes,
        limit_seconds=folder.limit_seconds,
        share=folder.share,
    )


def read_loaded_chain(folders: TaskFolders, loaded: Iterable[AttemptState]) -> ChainState:
    """The attempts that are in memory. Files are read only of those that have not ended: this is asked often."""
    return ChainState(
        tuple(
            _with_files(state, folders.attempt(state.task, state.attempt))
            if state.is_open
            else state
            for state in loaded
        )
    )


def read_whole_chain(
    folders: TaskFolders, task: str, loaded: Iterable[AttemptState], *, above: int = 0
) -> ChainState:
    """The attempts in memory, and all others of higher numbers than `above`: closed, or not loaded yet."""
    known = {state.attempt: state for state in loaded}
    on_disk = {folder.attempt: folder for folder in folders.attempts(task)}
    removed = [state for name, state in known.items() if name not in on_disk]
    read = [
        _with_files(known.get(name) or _unloaded(folder), folder)
        for name, folder in on_disk.items()
        if name in known or folder.number > above
    ]
    return ChainState(tuple(sorted([*read, *removed], key=lambda each: each.number)))


def ran_seconds(folder: AttemptFolder, run: int) -> float:
    """By the heartbeats of the run, late by one at most; before the first by our own clock."""
    beaten = run_seconds(folder, run)
    if beaten is not None:
        return beaten
    start = folder.start_of(run)
    return time.time() - start.seen_at if start is not None else 0.0


def _unloaded(folder: AttemptFolder) -> AttemptState:
    return replace(read_attempt(folder), phase=AttemptPhase.UNLOADED)


def _with_files(state: AttemptState, folder: AttemptFolder) -> AttemptState:
    return replace(state, files=_read_files(folder))


def _read_files(folder: AttemptFolder) -> AttemptFiles:
    owner, has_arrived = folder.claimed_by, folder.has_arrived
    return AttemptFiles(
        is_cancelled=folder.is_cancelled,
        is_withdrawn=folder.is_withdrawn,
        owner="" if owner == BARRED else owner,
        is_barred=owner == BARRED,
        has_failed=folder.failure is not None,
        has_arrived=has_arrived,
        nodes=tuple(folder.arrived_at) if has_arrived else (),
        submitted_at=folder.submitted_at,
    )
