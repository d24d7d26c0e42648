"""Secrets of the endpoint's owner, kept on the machine: one 0600 file each, never logged."""

from __future__ import annotations

import contextlib
from pathlib import Path

from diamond.agent.disk import write_whole
from diamond.core.errors import BadRequest, NotFound
from diamond.core.ids import IDENTIFIER
from diamond.runtimes.below import below


def set_secret(folder: Path, name: str, value: str) -> None:
    write_whole(_place(folder, name), value.encode(), mode=0o600, durable=True)


def delete_secret(folder: Path, name: str) -> None:
    """One that is not there is fine."""
    with contextlib.suppress(FileNotFoundError):
        _place(folder, name).unlink()


def list_secrets(folder: Path) -> list[str]:
    """Names only."""
    return sorted(file.name for file in folder.iterdir() if IDENTIFIER.fullmatch(file.name))


def find_secret(folder: Path, name: str) -> Path:
    """Where its value is. Raises `NotFound`, which lists the names there are."""
    place = _place(folder, name)
    if place.is_file():
        return place
    raise NotFound(
        f"The endpoint has no secret {name!r}",
        f"It has: {', '.join(list_secrets(folder)) or 'none'}. Set it: diamond secret set {name} --on ENDPOINT",
    )


def _place(folder: Path, name: str) -> Path:
    if not IDENTIFIER.fullmatch(name):
        raise BadRequest(f"{name!r} cannot be the name of a secret", "Use letters, digits and _.")
    return below(folder, name)
