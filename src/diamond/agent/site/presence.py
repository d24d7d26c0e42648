"""How an agent stays on its machine: resident, by a crontab (the system's or the batch system's), as a batch job, or with a connection."""

from __future__ import annotations

import os
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from diamond.core.errors import BadRequest
from diamond.schedulers.registry import crontabs, is_inside_a_job

RESIDENT, CRON, BATCH_JOB, CONNECTION = "resident", "cron", "batch-job", "connection"


def ways() -> list[str]:
    """The ways that a user may choose from."""
    return [RESIDENT, *tables(), BATCH_JOB]


def tables() -> dict[str, str]:
    """The tool behind each way that starts an agent again by a table; a batch system's own is called as the tool is."""
    return {CRON: "crontab", **{tool: tool for tool in crontabs()}}


def how_it_stays(environment: Mapping[str, str], *, stdio: bool) -> str:
    """What keeps this process alive, or starts it again."""
    if stdio:
        return CONNECTION
    if environment.get("DIAMOND_STAYS") in ways():
        return environment["DIAMOND_STAYS"]
    if is_inside_a_job(environment):
        return BATCH_JOB
    return CRON if _table_names_agent("crontab") else RESIDENT


def settle(way: str, command: list[str]) -> str:
    """Let the agent stay on this host in the way chosen; the answer says what was done and what comes next."""
    host = socket.gethostname()
    tool = tables().get(way)
    if tool:
        _add_line(tool, cron_line(command, way))
    process = _start(command, RESIDENT if way == RESIDENT else way)
    done = f"The agent stays on {host} as process {process} ({way})."
    if tool:
        return f"{done} {tool} starts it again by itself; `{tool} -l` shows the line."
    others = " or ".join(f"--stay {other}" for other in ways_to_stay() if other != RESIDENT)
    advice = f" To have that done by itself, pair with {others}." if others else ""
    return f"{done} After a reboot, start it again with: {_quoted(command)} &{advice}"


def cron_line(command: list[str], way: str = CRON) -> str:
    """A line for `crontab -e`: it starts the agent again after a reboot or an end, on this login node."""
    line = _quoted(command).replace("%", r"\%")
    return f"*/10 * * * * DIAMOND_STAYS={way} {line}  # Diamond agent on {socket.gethostname()}"


def ways_to_stay() -> list[str]:
    """The ways that this machine offers, best first."""
    ways = [way for way, tool in tables().items() if _may_use(tool)]
    return [*ways, RESIDENT]


def own_command(arguments: list[str]) -> list[str]:
    """How this very program is started again."""
    start = str(Path(sys.argv[0]).absolute())
    if start.endswith("__main__.py"):
        return [sys.executable, "-m", "diamond.agent", *arguments]
    return [sys.executable, start, *arguments]


def own_file() -> tuple[str, str]:
    """The Python and the one-file agent that run here, for a session that starts them again; empty where it runs otherwise."""
    start = str(Path(sys.argv[0]).absolute())
    return (sys.executable, start) if start.endswith(".pyz") else ("", "")


def _quoted(command: list[str]) -> str:
    return " ".join(shlex.quote(word) for word in command)


def _start(command: list[str], way: str) -> int:
    """Starts it in its own session, so that it outlives this terminal."""
    nothing = subprocess.DEVNULL
    process = subprocess.Popen(
        command,
        stdin=nothing,
        stdout=nothing,
        stderr=nothing,
        start_new_session=True,
        env={**os.environ, "DIAMOND_STAYS": way},
    )
    return process.pid


def _add_line(tool: str, line: str) -> None:
    """Beside what is already there; once."""
    table = _list(tool)
    if table is None:
        raise BadRequest(
            f"{tool} may not be used here", f"This machine offers: {', '.join(ways_to_stay())}"
        )
    if line not in table.splitlines():
        _run(
            [tool, "-"], stdin="".join([*(f"{each}\n" for each in table.splitlines()), line, "\n"])
        )


def _run(command: list[str], stdin: str = "") -> str:
    try:
        done = subprocess.run(
            command, input=stdin, capture_output=True, text=True, timeout=30, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        message = getattr(error, "stderr", "") or str(error)
        raise BadRequest(
            f"{command[0]} rejected it: {message.strip()}", "Pair with another --stay."
        ) from None
    return done.stdout


def _may_use(tool: str) -> bool:
    return shutil.which(tool) is not None and _list(tool) is not None


def _table_names_agent(tool: str) -> bool:
    return "agent.pyz" in (_list(tool) or "")


def _list(tool: str) -> str | None:
    """The user's table; None where the site allows none."""
    try:
        done = subprocess.run([tool, "-l"], capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    denied = "not allowed" in done.stderr or "disabled" in done.stderr
    return None if denied else done.stdout
