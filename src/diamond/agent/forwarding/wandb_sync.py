"""Offline runs of W&B are sent by W&B's own program, in an environment that the agent makes for it."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterable
from pathlib import Path

from diamond.agent.forwarding.target import ForwardFailed, Target
from diamond.core.errors import EnvironmentFailed
from diamond.core.order import Environment
from diamond.launchers.ranks.event_files import WANDB, kind_of
from diamond.runtimes.child import last_lines, run_child
from diamond.runtimes.venv import ensure_environment

MARK = "offline-run-"


def offline_runs(files: Iterable[Path]) -> list[Path]:
    """Folders that are not sent yet: `wandb sync` leaves a mark beside the file."""
    runs = [file for file in files if kind_of(file) == WANDB and file.parent.name.startswith(MARK)]
    return sorted(file.parent for file in runs if not Path(f"{file}.synced").exists())


def sync_run(folder: Path, target: Target, work: Path, *, stopping: threading.Event) -> None:
    """Raises `ForwardFailed` with W&B's own words."""
    try:
        made = ensure_environment(
            Environment(requirements=["wandb"]),
            folder=work,
            say=lambda _: None,
            cancelled=stopping.is_set,
        )
    except EnvironmentFailed as error:
        raise ForwardFailed(f"wandb could not be installed: {error.message}") from None
    log = folder / "diamond-sync.log"
    place = str(folder.parent.parent)  # where it keeps logs of its own
    variables = {
        "WANDB_API_KEY": target.password,
        "WANDB_BASE_URL": target.url,
        "WANDB_DIR": place,
    }
    program = f"{made.path[0]}/wandb"
    try:
        code = run_child(
            [program, "sync", str(folder)],
            log=log,
            say=lambda _: None,
            cancelled=stopping.is_set,
            variables=variables,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise ForwardFailed(f"wandb could not be started: {error}") from None
    if code or not any(folder.glob("*.synced")):  # it exits with 0 also when the server said no
        raise ForwardFailed(f"wandb sync: {' / '.join(last_lines(log, 3))}")
