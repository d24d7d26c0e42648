"""Small files that must be whole or absent, also after a crash."""

from __future__ import annotations

import contextlib
import json
import os
import threading
from pathlib import Path
from typing import Any


def write_whole(path: Path, content: bytes, *, mode: int = 0o600, durable: bool = False) -> None:
    """Write under another name, then rename: a reader sees the old file or the new one."""
    # Two threads stage tasks that read the same data, and both note when it was used.
    aside = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.new")
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    try:
        _write_all(descriptor, content)
        if durable:
            os.fsync(descriptor)
    except OSError:
        with contextlib.suppress(OSError):
            aside.unlink()
        raise
    finally:
        os.close(descriptor)
    aside.replace(path)


def write_json(path: Path, value: Any, *, mode: int = 0o600, durable: bool = False) -> None:
    text = json.dumps(value, indent=1, ensure_ascii=False) + "\n"
    write_whole(path, text.encode(), mode=mode, durable=durable)


def is_there(path: str) -> bool:
    return os.path.exists(path)  # noqa: PTH110


def read_json(path: Path | str) -> dict[str, Any] | None:
    """The object in a file; None when it is not there or not whole."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            value = json.loads(file.read())
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def read_words(path: Path | str) -> list[str]:
    """The words of a one-line file; [] when it is not there or still empty."""
    return read_text(path).split()


def read_text(path: Path | str) -> str:
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read().decode(errors="replace")
    except OSError:
        return ""


def mark(path: Path, content: str = "", *, durable: bool = False) -> None:
    """Make a small marker file; one that is there stays as it is."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return
    try:
        _write_all(descriptor, content.encode())
        if durable:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_all(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]
