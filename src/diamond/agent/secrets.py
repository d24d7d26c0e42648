"""Secrets of the person, kept on this endpoint: one 0600 file each, never logged."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

from diamond.agent.disk import write_whole
from diamond.core.errors import BadRequest

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,99}")


def set_secret(folder: Path, name: str, value: str) -> None:
    write_whole(_place(folder, name), value.encode(), mode=0o600, durable=True)


def delete_secret(folder: Path, name: str) -> None:
    """One that is not there is fine."""
    with contextlib.suppress(FileNotFoundError):
        _place(folder, name).unlink()


def list_secrets(folder: Path) -> list[str]:
    """Names only."""
    return sorted(file.name for file in folder.iterdir() if _NAME.fullmatch(file.name))


def _place(folder: Path, name: str) -> Path:
    if not _NAME.fullmatch(name):
        raise BadRequest(f"{name!r} cannot be the name of a secret", "Use letters, digits and _.")
    return folder / name
