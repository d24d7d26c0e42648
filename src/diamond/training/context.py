"""What a job gives to its program (`docs/internals/run-directory.md`), as Python functions."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any, Dict, Optional

CONTINUE = 75
"""Exit with this code to be continued by the next attempt."""

_LOOK_EVERY_SECONDS = 1.0


class NotGiven(LookupError):
    """The job has no data or secret of that name."""

    def __str__(self) -> str:
        return str(self.args[0])


def run_dir() -> Path:
    """The working directory of the task: download what is written here with `diamond get`."""
    return Path(os.environ.get("DIAMOND_RUN_DIR") or Path.cwd())


def params() -> Dict[str, Any]:
    """The `params` of the spec; empty outside of Diamond."""
    path = os.environ.get("DIAMOND_PARAMS", "")
    if not path:
        return {}
    read = json.loads(Path(path).read_text(encoding="utf-8"))
    return dict(read)


def data(name: str) -> Path:
    """The folder or file with this name in the spec's `data:`."""
    folder = os.environ.get("DIAMOND_DATA", "")
    if folder and (Path(folder) / name).exists():
        return Path(folder) / name
    direct = os.environ.get("DIAMOND_DATA_" + name.upper().replace("-", "_"), "")
    if direct:
        return Path(direct)
    raise NotGiven(f"no data named {name!r}: add it under `data:` in diamond.yaml")


def secret(name: str) -> str:
    """A secret from the spec's `secrets:`; outside of Diamond, the environment variable of that name."""
    folder = os.environ.get("DIAMOND_SECRETS", "")
    if folder and (Path(folder) / name).is_file():
        return (Path(folder) / name).read_text(encoding="utf-8").rstrip("\n")
    if name in os.environ:
        return os.environ[name]
    raise NotGiven(
        f"no secret named {name!r}: add it under `secrets:` and `diamond secret set {name}`"
    )


def resume_from() -> Optional[Path]:
    """The newest checkpoint of earlier attempts (`continue: {from: …}`), or None in the first."""
    path = os.environ.get("DIAMOND_RESUME_FROM", "")
    return Path(path) if path else None


def deadline() -> Optional[float]:
    """When the time limit is reached, in seconds since the epoch; None if there is no limit.

    If the limit changes while the program runs, the new one is in a file next to the stop flag.
    """
    text = _changed_deadline() or os.environ.get("DIAMOND_DEADLINE", "")
    return float(text) if text else None


def _changed_deadline() -> str:
    stop = os.environ.get("DIAMOND_STOP_FILE", "")
    try:
        text = Path(stop).with_name("deadline").read_text().strip() if stop else ""
    except OSError:
        return ""
    return text if text.isdigit() else ""


def should_stop() -> bool:
    """Whether to save at this step and exit with `CONTINUE`. Cheap enough for every step.

    If torch has joined several ranks, all get the same answer at the same step, provided that all ask at every step.
    """
    torch = sys.modules.get("torch")
    if (
        torch is None
        or not torch.distributed.is_available()
        or not torch.distributed.is_initialized()
    ):
        return stop_flag_is_up()
    from diamond.training.agreed_stop import agreed_stop

    return agreed_stop(stop_flag_is_up())


def stop_flag_is_up() -> bool:
    """The same for this process only: ranks may see the file at different steps."""
    return _stop_flag.is_up()


class _StopFlag:
    """Check the file at most once a second, to spare a shared file system."""

    def __init__(self) -> None:
        self._up = False
        self._looked_at = float("-inf")

    def is_up(self) -> bool:
        now = time.monotonic()
        if not self._up and now - self._looked_at >= _LOOK_EVERY_SECONDS:
            self._looked_at = now
            path = os.environ.get("DIAMOND_STOP_FILE", "")
            self._up = bool(path) and os.path.exists(path)  # noqa: PTH110
        return self._up


_stop_flag = _StopFlag()
