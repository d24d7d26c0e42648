"""Whether the file that a command starts is there: a slip of the pen should not wait in a queue."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from diamond.sdk.specs import split_command

_INTERPRETER = re.compile(r"(?:.*/)?(?:python[\d.]*|bash|sh)")
_BARE_OPTION = re.compile(r"-[uBEIOqsSvex]+")
"""Options of these interpreters that take no word after them."""
_FOR_A_SHELL = re.compile(r"[;&|<>$`(){}*?~#\n\\]")
_SCRIPTS = (".py", ".sh")


def missing_files(spec: Mapping[str, Any], folder: Path) -> list[dict[str, str]]:
    """A fault for a program or notebook that is not in the folder of the code."""
    named = {"run": script_in_command(spec.get("run")), "notebook": spec.get("notebook")}
    return [
        _fault(field, path, folder)
        for field, path in named.items()
        if isinstance(path, str) and path and not _is_there(folder, path)
    ]


def script_in_command(run: object) -> str:
    """The script of a plain command such as `python train.py`; "" where only a shell could tell."""
    if isinstance(run, str) and _FOR_A_SHELL.search(run):
        return ""
    words = split_command(run)
    if len(words) < 2 or not _INTERPRETER.fullmatch(words[0]):
        return ""
    script = next((word for word in words[1:] if not _BARE_OPTION.fullmatch(word)), "")
    return script if script.endswith(_SCRIPTS) and not _FOR_A_SHELL.search(script) else ""


def _is_there(folder: Path, path: str) -> bool:
    try:
        return Path(path).is_absolute() or (folder / path).exists()
    except (OSError, ValueError):
        return True


def _fault(field: str, path: str, folder: Path) -> dict[str, str]:
    near = get_close_matches(path, _names(folder, Path(path).suffix), n=1)
    meant = f"Did you mean {near[0]}? " if near else ""
    hint = f"{meant}It is looked for in {folder}."
    return {"field": field, "message": f"There is no file {path!r}", "hint": hint}


def _names(folder: Path, suffix: str) -> list[str]:
    try:
        return sorted(one.name for one in folder.iterdir() if one.suffix == suffix)
    except OSError:
        return []
