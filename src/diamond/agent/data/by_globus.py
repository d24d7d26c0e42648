"""Globus Transfer between the collections of two endpoints. What arrives is verified like everything else.

The transfer is asked for by a helper process in a Python that has globus-sdk (`data.globus.python`), with a token that is a
secret of the goal. Only exercised against a stand-in of the service: docs/data.md says so.
"""

from __future__ import annotations

import json
import pkgutil
import subprocess
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diamond.agent.data.carriers import WayFailed
from diamond.core.data_messages import Introduction
from diamond.core.data_settings import Collection
from diamond.core.errors import Cancelled

MOST_ITEMS = 10_000
"""More files are asked for as one folder."""


@dataclass(frozen=True)
class GlobusTransfer:
    own: Collection
    token: str
    far: Introduction

    def bring(
        self,
        root: Path,
        missing: Sequence[str],
        *,
        label: str,
        cancelled: Callable[[], bool],
        moved: Callable[[int], None],
    ) -> None:
        """Files below `root`, by their paths in the tree. Raises `WayFailed`, `Cancelled`."""
        job = {
            "token": self.token,
            "source": self.far.collection,
            "goal": self.own.id,
            "label": label,
            "submission": "",
            "items": self._items(root, missing),
        }
        last = _run([self.own.python, "-c", _program()], job, cancelled, moved)
        if last.get("state") != "SUCCEEDED":
            raise WayFailed(f"Globus: {last.get('message') or 'the transfer failed'}")

    def _items(self, root: Path, missing: Sequence[str]) -> list[list[object]]:
        source = _inside(self.far.root, self.far.path)
        goal = _inside(self.own.root, str(root))
        if len(missing) > MOST_ITEMS:
            return [[source + "/", goal + "/", True]]
        return [[f"{source}/{path}", f"{goal}/{path}", False] for path in missing]


def _inside(root: str, path: str) -> str:
    """A path of the machine as the collection names it."""
    base = root.rstrip("/")
    if not path.startswith(base + "/"):
        raise WayFailed(f"the Globus collection does not show {path}")
    return path[len(base) :]


def _program() -> str:
    """The helper's text: the other Python knows nothing of Diamond."""
    return (pkgutil.get_data("diamond.data", "globus_job.py") or b"").decode()


def _run(
    words: list[str],
    job: dict[str, Any],
    cancelled: Callable[[], bool],
    moved: Callable[[int], None],
) -> dict[str, Any]:
    if not words[0]:
        raise WayFailed("no Python with globus-sdk is named here (data.globus.python)")
    try:
        child = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
    except OSError as error:
        raise WayFailed(f"{words[0]} cannot be started: {error.strerror}") from None
    assert child.stdin is not None and child.stdout is not None
    last: dict[str, Any] = {}
    watching = threading.Timer(0, _end_when, args=(child, cancelled))
    try:
        child.stdin.write(json.dumps(job))
        child.stdin.close()
        watching.start()
        for line in child.stdout:
            last = _read(line) or last
            moved(int(last.get("bytes") or 0))
        child.wait()
    except OSError as error:
        raise WayFailed(f"the Globus helper ended: {error}") from None
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()
        child.stdout.close()
    if cancelled():
        raise Cancelled("the transfer was cancelled")
    return last or {"message": "the helper said nothing: is globus-sdk in that Python?"}


def _end_when(child: subprocess.Popen[str], cancelled: Callable[[], bool]) -> None:
    while child.poll() is None:
        if cancelled():
            child.kill()
            return
        threading.Event().wait(0.2)


def _read(line: str) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
