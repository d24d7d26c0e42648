"""What this machine has to share out among local jobs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Tuple


@dataclass(frozen=True)
class Capacity:
    cores: int
    memory_mb: int
    gpus: Tuple[str, ...] = ()
    """Indices, as CUDA_VISIBLE_DEVICES takes them."""
    gpu_type: str = "gpu"


def capacity(settings: Path) -> Capacity:
    """From the system; `{"cores", "memory_mb", "gpus"}` in the settings file say otherwise."""
    said = _settings(settings)
    gpus, gpu_type = _nvidia() if "gpus" not in said else (_indices(said["gpus"]), "gpu")
    return Capacity(
        cores=int(said.get("cores") or _cores()),
        memory_mb=int(said.get("memory_mb") or _memory_mb()),
        gpus=gpus,
        gpu_type=gpu_type,
    )


def _settings(path: Path) -> Dict[str, Any]:
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return said if isinstance(said, dict) else {}


def _cores() -> int:
    """Those that this process may use: a container or a laptop's owner may have set fewer."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _memory_mb() -> int:
    return int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20)


def _indices(count: Any) -> Tuple[str, ...]:
    return tuple(str(index) for index in range(int(count)))


def _nvidia() -> Tuple[Tuple[str, ...], str]:
    if not shutil.which("nvidia-smi"):
        return (), "gpu"
    command = ["nvidia-smi", "--query-gpu=index,name", "--format=csv,noheader"]
    try:
        said = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20
        )
    except (OSError, subprocess.TimeoutExpired):
        return (), "gpu"
    rows = [line.split(",", 1) for line in said.stdout.splitlines() if "," in line]
    kind = rows[0][1].strip().lower().replace(" ", "-") if rows else "gpu"
    return tuple(row[0].strip() for row in rows), kind
