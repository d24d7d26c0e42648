"""`pilot.json`: what the agent says of a pilot to its program, beside the batch script."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from diamond.core.decoding import Count, decode, encode
from diamond.pilots.requests import Path as FilePath

DASK, DIRECT = "dask", "direct"


@dataclass(frozen=True)
class PilotSettings:
    folder: FilePath
    """`run/pilot` of the pilot's task."""
    attempt: FilePath
    """The folder of this attempt of it."""
    task: str
    engine: str = DASK
    idle_seconds: Count = 300
    nodes: Count = 1
    cores: Count = 1
    """Of each node, as asked for; 0: all that are seen."""
    memory_mb: Count = 0
    gpus: Count = 0
    starter: str = ""
    """What starts processes on all nodes of the job, by its name in `launchers.starters.registry`; empty: a job is one node."""
    interface: str = ""


def settings_text(settings: PilotSettings) -> str:
    return json.dumps(encode(settings), indent=1) + "\n"


def read_settings(path: str) -> PilotSettings:
    return decode(PilotSettings, json.loads(Path(path).read_text(encoding="utf-8")))
