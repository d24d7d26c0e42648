"""What a run should be known by afterwards: machine, libraries, seeds. Lines of facts.jsonl in the run's folder.

Nothing here may cost a training anything to speak of, or end it.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import re
import sys
from pathlib import Path
from typing import Any, Dict, List, Optional

from diamond.training.gpus import gpu_names

FILE = "facts.jsonl"
_LONGEST = 200
_SEED_NAME = re.compile(r"(?:^|_)SEED(?:$|_)|^PYTHONHASHSEED$")
_SETTING = re.compile(r"[A-Za-z0-9_.,:+-]{1,60}")
"""A seed or a switch; nothing else may look like one."""
_SWITCHES = (
    "CUBLAS_WORKSPACE_CONFIG",
    "NVIDIA_TF32_OVERRIDE",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "TF_DETERMINISTIC_OPS",
    "XLA_FLAGS",
)


def machine(*, with_packages: bool) -> Dict[str, Any]:
    """The node, and the Python that runs this with all that it can import."""
    facts: Dict[str, Any] = {
        "cores": _cores(),
        "architecture": platform.machine(),
        "system": _system(),
        "gpus": [],
    }
    for gpu in gpu_names():
        facts["driver"] = gpu.pop("driver", "")
        facts["gpus"].append(gpu)
    if with_packages:
        facts["python"] = platform.python_version()
        facts["packages"] = _packages()
    return facts


def program() -> Dict[str, Any]:
    """This process: what it has imported, and what decides its random numbers and its arithmetic."""
    facts: Dict[str, Any] = {
        "python": platform.python_version(),
        "libraries": _libraries(),
        "seeds": {**_seeds_in_variables(), **_given},
        "settings": _switches(),
    }
    torch = sys.modules.get("torch")
    if torch is not None:
        _look_at_torch(torch, facts)
    return facts


def seed(number: int) -> None:
    """Seed Python's, NumPy's and torch's random numbers, as far as they are imported, and keep the seed in the record."""
    import random

    random.seed(number)
    _given["diamond"] = str(number)
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if numpy is not None:
        numpy.random.seed(number % 2**32)
    if torch is not None:
        torch.manual_seed(number)
    if _noted:
        note({"seeds": dict(_given)})


def note(facts: Dict[str, Any], folder: Optional[Path] = None) -> None:
    """Append a line to the file of this run; outside of a job do nothing."""
    metrics = os.environ.get("DIAMOND_METRICS", "")
    target = folder or (Path(metrics).parent if metrics else None)
    if target is None:
        return
    with contextlib.suppress(OSError, ValueError):
        line = json.dumps(facts, separators=(",", ":")).encode() + b"\n"
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        descriptor = os.open(target / FILE, flags, 0o600)
        try:
            os.write(descriptor, line)
        finally:
            os.close(descriptor)


def note_program() -> None:
    """Once, by the process that logs."""
    global _noted
    if not _noted:
        _noted = True
        with contextlib.suppress(Exception):  # a library may be in any state
            note(program())


_noted = False
_given: Dict[str, str] = {}


def _cores() -> int:
    with contextlib.suppress(AttributeError, OSError):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 0


def _system() -> str:
    with contextlib.suppress(OSError):
        for line in Path("/etc/os-release").read_text(errors="replace").splitlines():
            if line.startswith("PRETTY_NAME="):
                return line.partition("=")[2].strip('"')[:_LONGEST]
    return platform.system()


def _packages() -> Dict[str, str]:
    """By the names of their folders: reading the metadata of hundreds would take a second."""
    packages: Dict[str, str] = {}
    for place in sys.path:
        with contextlib.suppress(OSError):
            for entry in os.listdir(place or "."):  # noqa: PTH208
                name, dash, version = entry[: -len(".dist-info")].rpartition("-")
                if entry.endswith(".dist-info") and dash:
                    packages.setdefault(name, version[:_LONGEST])
    return packages


def _libraries() -> Dict[str, str]:
    libraries = {}
    for name, module in list(sys.modules.items()):
        if "." in name or name.startswith("_") or name in _STANDARD:
            continue
        version = getattr(module, "__version__", None)
        if isinstance(version, str):
            libraries[name] = str(version)[:_LONGEST]
    return libraries


_STANDARD = frozenset(getattr(sys, "stdlib_module_names", ()))


def _seeds_in_variables() -> Dict[str, str]:
    return {
        name: value
        for name, value in os.environ.items()
        if _SEED_NAME.search(name) and _SETTING.fullmatch(value)
    }


def _switches() -> Dict[str, str]:
    known = ((name, os.environ.get(name, "")) for name in _SWITCHES)
    return {name: value for name, value in known if _SETTING.fullmatch(value)}


def _look_at_torch(torch: Any, facts: Dict[str, Any]) -> None:
    facts["seeds"]["torch"] = str(torch.initial_seed())
    facts["cuda"] = str(torch.version.cuda or "")
    settings = facts["settings"]
    settings["torch.threads"] = str(torch.get_num_threads())
    settings["torch.deterministic"] = str(torch.are_deterministic_algorithms_enabled())
    settings["torch.matmul_precision"] = str(torch.get_float32_matmul_precision())
    settings["cudnn.benchmark"] = str(torch.backends.cudnn.benchmark)
    settings["cudnn.deterministic"] = str(torch.backends.cudnn.deterministic)
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        facts["gpus"] = _torch_gpus(torch)


def _torch_gpus(torch: Any) -> List[Dict[str, Any]]:
    properties = [
        torch.cuda.get_device_properties(index) for index in range(torch.cuda.device_count())
    ]
    return [
        {"name": property.name, "memory_mb": property.total_memory >> 20} for property in properties
    ]
