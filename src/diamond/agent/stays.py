"""How an agent stays on its machine: resident, cron, scrontab, batch-job or connection."""

from __future__ import annotations

import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

RESIDENT, CRON, SCRONTAB, BATCH_JOB, CONNECTION = (
    "resident", "cron", "scrontab", "batch-job", "connection",
)  # fmt: skip


def how_it_stays(environment: Mapping[str, str], *, stdio: bool) -> str:
    """What keeps this process alive, or starts it again."""
    if stdio:
        return CONNECTION
    if environment.get("DIAMOND_STAYS") in (RESIDENT, CRON, SCRONTAB, BATCH_JOB):
        return environment["DIAMOND_STAYS"]
    if "SLURM_JOB_ID" in environment:
        return BATCH_JOB
    return CRON if _table_names_agent("crontab") else RESIDENT


def cron_line(command: list[str]) -> str:
    """A line for `crontab -e`: it starts the agent again after a reboot or an end, on this login node."""
    words = " ".join(shlex.quote(word) for word in command).replace("%", r"\%")
    return f"*/10 * * * * DIAMOND_STAYS=cron {words}  # Diamond agent on {socket.gethostname()}"


def offered() -> list[str]:
    """The ways that this machine offers, best first."""
    ways = [way for way, tool in ((CRON, "crontab"), (SCRONTAB, "scrontab")) if _may_use(tool)]
    return [*ways, RESIDENT]


def own_command(words: list[str]) -> list[str]:
    """How this very program is started again."""
    start = str(Path(sys.argv[0]).absolute())
    if start.endswith("__main__.py"):
        return [sys.executable, "-m", "diamond.agent", *words]
    return [sys.executable, start, *words]


def _may_use(tool: str) -> bool:
    return shutil.which(tool) is not None and _list(tool) is not None


def _table_names_agent(tool: str) -> bool:
    return "agent.pyz" in (_list(tool) or "")


def _list(tool: str) -> str | None:
    """The person's table; None where she may not have one."""
    try:
        done = subprocess.run([tool, "-l"], capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    denied = "not allowed" in done.stderr or "disabled" in done.stderr
    return None if denied else done.stdout
