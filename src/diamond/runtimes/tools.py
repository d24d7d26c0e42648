"""Where uv is found: named, beside this Python, on PATH, or fetched once into the endpoint's own folder."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Callable, Dict, Optional

from diamond.runtimes.child import run_child
from diamond.runtimes.lock import hold_lock


def find_uv(folder: Path) -> Optional[str]:
    """A uv that is already there, or None."""
    named = os.environ.get("DIAMOND_UV", "")
    beside = Path(sys.executable).parent / "uv"
    fetched = _tools(folder) / "bin" / "uv"
    for candidate in (named, str(beside), shutil.which("uv") or "", str(fetched)):
        if candidate and os.access(candidate, os.X_OK):
            return candidate
    return None


def fetch_uv(
    folder: Path, *, log: Path, say: Callable[[str], None], cancelled: Callable[[], bool]
) -> Optional[str]:
    """Fetch uv by pip; None where that cannot be had (pip alone then does the work, more slowly)."""
    say("fetching uv")
    with hold_lock(folder / "tools.lock", waiting=lambda: None, cancelled=cancelled):
        if not find_uv(folder):
            _install_uv(folder, log=log, cancelled=cancelled)
    return find_uv(folder)


def own_python() -> str:
    """The Python that the agent runs on, outside of any virtual environment it may run in."""
    return str(getattr(sys, "_base_executable", "") or sys.executable)


def cache_variables(folder: Path) -> Dict[str, str]:
    """Downloads are kept in the work folder: a home folder is small on most clusters."""
    cache = folder / "cache"
    return {
        "UV_CACHE_DIR": str(cache / "uv"),
        "PIP_CACHE_DIR": str(cache / "pip"),
        "UV_PYTHON_INSTALL_DIR": str(folder / "pythons"),
    }


def _install_uv(folder: Path, *, log: Path, cancelled: Callable[[], bool]) -> None:
    tools = _tools(folder)
    python = str(tools / "bin" / "python")
    steps = (
        [own_python(), "-m", "venv", "--clear", str(tools)],
        [python, "-m", "pip", "install", "--quiet", "uv"],
    )
    for step in steps:
        variables = cache_variables(folder)
        if run_child(step, log=log, say=_silent, cancelled=cancelled, variables=variables):
            return


def _tools(folder: Path) -> Path:
    return folder / "tools"


def _silent(line: str) -> None:
    """Written to the log only."""
