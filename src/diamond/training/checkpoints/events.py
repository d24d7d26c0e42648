"""What happened to checkpoints: a line for the user, and one in the run's folder."""

from __future__ import annotations

import json
import math
import os
import sys
import time
from pathlib import Path
from typing import Any

NAME = "checkpoints.jsonl"


def tell(message: str) -> None:
    print(f"diamond: {message}", file=sys.stderr, flush=True)


class Journal:
    """Appends to `checkpoints.jsonl`; failures never end a training."""

    def __init__(self, fallback: Path) -> None:
        """Inside a job, the file is next to the metrics; elsewhere, in `fallback`."""
        metrics = os.environ.get("DIAMOND_METRICS", "")
        self.path = (Path(metrics).parent if metrics else fallback) / NAME
        self._lead = Path(metrics).with_name("lead") if metrics else None

    def tell_lead(self, seconds: float) -> None:
        """How long before the time limit the batch script should raise the stop flag."""
        if self._lead is None:
            return
        try:
            self._lead.write_text(f"{math.ceil(seconds)}\n")
        except OSError:
            return

    def record(self, event: str, step: int, **values: Any) -> None:
        line = {"event": event, "step": step, "time": round(time.time(), 3), **values}
        try:
            descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(descriptor, json.dumps(line).encode() + b"\n")
            finally:
                os.close(descriptor)
        except OSError:
            return
