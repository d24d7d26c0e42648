"""How busy the GPUs of this node are, from the vendors' own tools; an empty list if there are none."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from typing import Any, Dict, List, Optional

_NVIDIA = [
    "nvidia-smi",
    "--query-gpu=index,utilization.gpu,memory.used,power.draw",
    "--format=csv,noheader,nounits",
]
_NVIDIA_NAMES = [
    "nvidia-smi",
    "--query-gpu=index,name,memory.total,driver_version",
    "--format=csv,noheader,nounits",
]
_AMD = ["rocm-smi", "--showuse", "--showmeminfo", "vram", "--json"]


def gpu_usage() -> List[Dict[str, float]]:
    """One entry per GPU that this job may use: index, percent busy, memory in MB, watts where it says so."""
    if shutil.which("nvidia-smi"):
        return _visible(from_nvidia(_ask(_NVIDIA)))
    if shutil.which("rocm-smi"):
        return _visible(from_amd(_ask(_AMD)))
    return []


def gpu_names() -> List[Dict[str, Any]]:
    """Model, memory and driver of each GPU that this job may use, where the vendor's tool says it."""
    if not shutil.which("nvidia-smi"):
        return []
    rows = [line.split(", ") for line in _ask(_NVIDIA_NAMES).splitlines()]
    return _visible(
        [
            {
                "index": int(_number(row[0])),
                "name": row[1].strip(),
                "memory_mb": int(_number(row[2])),
                "driver": row[3].strip(),
            }
            for row in rows
            if len(row) == 4
        ]
    )


def from_nvidia(text: str) -> List[Dict[str, float]]:
    """Lines such as `0, 87, 40123, 251.3`; a GPU that reports nothing ("[N/A]") counts as zero, and its power is left out."""
    gpus = []
    for row in (line.split(",") for line in text.splitlines()):
        if len(row) not in (3, 4):
            continue
        index, percent, used = (_number(field) for field in row[:3])
        gpu = {"index": int(index), "percent": percent, "memory_mb": used}
        if len(row) == 4 and _number(row[3]) > 0:
            gpu["power_watts"] = _number(row[3])
        gpus.append(gpu)
    return gpus


def from_amd(text: str) -> List[Dict[str, float]]:
    """A JSON object with one entry per card; its keys differ between versions."""
    try:
        cards = json.loads(text)
    except ValueError:
        return []
    names = sorted((name for name in cards if re.fullmatch(r"card\d+", name)), key=_card_index)
    return [_amd_card(_card_index(name), cards[name]) for name in names]


def visible_indexes(value: Optional[str]) -> Optional[List[int]]:
    """The GPUs in CUDA_VISIBLE_DEVICES; None if it does not list numbers."""
    if value is None or not re.fullmatch(r"\d+(,\d+)*", value.strip()):
        return None
    return [int(part) for part in value.split(",")]


def _visible(gpus: List[Dict[str, Any]]) -> List[Dict[str, Any]]:
    named = visible_indexes(
        os.environ.get("CUDA_VISIBLE_DEVICES", os.environ.get("ROCR_VISIBLE_DEVICES"))
    )
    if named is None or not set(named) <= {int(gpu["index"]) for gpu in gpus}:
        return gpus
    return [gpu for gpu in gpus if gpu["index"] in named]


def _amd_card(index: int, card: Dict[str, Any]) -> Dict[str, float]:
    percent, used = 0.0, 0.0
    for key, value in card.items():
        if key.startswith("GPU use"):
            percent = _number(str(value))
        elif "Used" in key and "VRAM" in key:
            used = _number(str(value)) / 2**20
    return {"index": index, "percent": percent, "memory_mb": round(used, 1)}


def _card_index(name: str) -> int:
    return int(name[4:])


def _number(text: str) -> float:
    try:
        return float(text.strip())
    except ValueError:
        return 0.0


def _ask(command: List[str]) -> str:
    try:
        return subprocess.run(
            command, capture_output=True, text=True, timeout=10, check=False
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return ""
