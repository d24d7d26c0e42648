"""Check that the script of a command exists, so that a typo is found before the queue wait."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from diamond.sdk.specs import split_command

_INTERPRETER = re.compile(r"(?:.*/)?(?:python[\d.]*|bash|sh)")
_BARE_OPTION = re.compile(r"-[uBEIOqsSvex]+")
"""Options of these interpreters that take no value."""
_SHELL_SYNTAX = re.compile(r"[;&|<>$`(){}*?~#\n\\]")
_SCRIPTS = (".py", ".sh")


def missing_files(spec: Mapping[str, Any], folder: Path) -> list[dict[str, str]]:
    """A fault for each script or notebook that is missing in the code folder."""
    named = {"run": script_in_command(spec.get("run")), "notebook": spec.get("notebook")}
    return [
        _fault(field, path, folder)
        for field, path in named.items()
        if isinstance(path, str) and path and not _is_there(folder, path)
    ]


def script_in_command(run: object) -> str:
    """The script of a plain command such as `python train.py`; "" if only a shell could say."""
    if isinstance(run, str) and _SHELL_SYNTAX.search(run):
        return ""
    arguments = split_command(run)
    if len(arguments) < 2 or not _INTERPRETER.fullmatch(arguments[0]):
        return ""
    script = next(
        (argument for argument in arguments[1:] if not _BARE_OPTION.fullmatch(argument)), ""
    )
    return script if script.endswith(_SCRIPTS) and not _SHELL_SYNTAX.search(script) else ""


def _is_there(folder: Path, path: str) -> bool:
    try:
        return Path(path).is_absolute() or (folder / path).exists()
    except (OSError, ValueError):
        return True


def _fault(field: str, path: str, folder: Path) -> dict[str, str]:
    near = get_close_matches(path, _names(folder, Path(path).suffix), n=1)
    meant = f"Did you mean {near[0]}? " if near else ""
    hint = f"{meant}The path is relative to {folder}."
    return {"field": field, "message": f"There is no file {path!r}", "hint": hint}


def _names(folder: Path, suffix: str) -> list[str]:
    try:
        return sorted(path.name for path in folder.iterdir() if path.suffix == suffix)
    except OSError:
        return []
