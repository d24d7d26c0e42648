"""Facts about one task for a support ticket, with everything secret left out."""

from __future__ import annotations

import platform
import socket
from pathlib import Path
from typing import Any

import diamond
from diamond.agent.disk import read_json
from diamond.agent.folders import Folders
from diamond.agent.guard.secrets import list_secrets
from diamond.agent.tasks.folders import AttemptFolder, TaskFolders
from diamond.core.errors import NotFound
from diamond.core.redact import redacted

TAIL_BYTES = 16_384


def report(folders: Folders, tasks: TaskFolders, task: str, facts: Any = None) -> dict[str, Any]:
    """What a helper needs to see: orders, scripts, the ends of logs, the profile. Redacted.

    `facts` are what the service has to say: it comes back redacted too, as only this machine knows its secrets.
    """
    if not tasks.has(task):
        raise NotFound(f"There is no folder of task {task} here", "It may have been cleaned.")
    content: dict[str, Any] = {
        "agent": {"version": diamond.__version__, "python": platform.python_version()},
        "host": socket.gethostname(),
        "task": read_json(tasks.root / task / "task.json"),
        "attempts": [_attempt(attempt) for attempt in tasks.attempts(task)],
        "profile": read_json(folders.profile),
        "agent_log": _tail(folders.keep / "agent.log"),
        "facts": facts,
    }
    cleaned = redacted(content, _values(folders))
    assert isinstance(cleaned, dict)
    return cleaned


def _values(folders: Folders) -> list[str]:
    files = [folders.secrets / name for name in list_secrets(folders.secrets)]
    values = [file.read_text(errors="replace").strip() for file in files]
    key = str((read_json(folders.keep / "agent.json") or {}).get("key", ""))
    lines = [line.strip() for value in values for line in value.splitlines()]
    known = [value for value in [*values, key] if len(value) >= 4]
    known += [line for line in lines if len(line) >= 8]
    return sorted(set(known), key=len, reverse=True)


def _attempt(folder: AttemptFolder) -> dict[str, Any]:
    runs = [
        {
            "run": run,
            "started": _tail(folder.run_folder(run) / "started"),
            "exit": _tail(folder.run_folder(run) / "exit"),
            "stdout": _tail(folder.run_folder(run) / "stdout.log"),
            "stderr": _tail(folder.run_folder(run) / "stderr.log"),
        }
        for run in folder.runs()
    ]
    return {
        "attempt": folder.attempt,
        "native": read_json(folder.path / "native.json"),
        "failure": folder.failure,
        "cancelled": folder.is_cancelled,
        "owner": folder.owner,
        "duplicates": folder.duplicates(),
        "script": _tail(folder.path / "script.sh"),
        "native_log": _tail(folder.path / "native.log"),
        "runs": runs,
    }


def _tail(path: Path) -> str:
    try:
        with path.open("rb") as source:
            source.seek(max(0, path.stat().st_size - TAIL_BYTES))
            return source.read().decode(errors="replace")
    except OSError:
        return ""
