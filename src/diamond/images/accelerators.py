"""Which builds of PyTorch an environment gets where nobody chose: those for a CPU, unless there is a GPU to use.

PyPI's own builds for Linux bring 4 GB of CUDA libraries, which a job without a GPU never loads.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Iterable, Mapping, Optional

from diamond.core.order import Environment

CPU = "cpu"
_NAME = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)")
_BRING_TORCH = frozenset(
    {
        *("accelerate", "deepspeed", "diffusers", "ema-pytorch", "fairscale", "fastai", "flair"),
        *("gpytorch", "lightning", "monai", "open-clip-torch", "peft", "pyro-ppl"),
        *(
            "pytorch-ignite",
            "pytorch-lightning",
            "pytorch-metric-learning",
            "sentence-transformers",
        ),
        *("skorch", "stable-baselines3", "timm", "trl", "ultralytics", "unsloth", "vllm"),
    }
)


def brings_torch(requirements: Iterable[str]) -> bool:
    """Whether PyTorch is asked for, or comes with a package that is."""
    matches = (_NAME.match(line) for line in requirements)
    names = {re.sub(r"[-_.]+", "-", match.group(1).lower()) for match in matches if match}
    return any(name.startswith("torch") or name in _BRING_TORCH for name in names)


def needs_choice(environment: Environment) -> bool:
    """A person's own accelerator, lock or wheel of torch stays theirs."""
    own = any("+c" in line or "+rocm" in line or "://" in line for line in environment.requirements)
    chosen = bool(environment.accelerator or environment.lock) or own
    return not chosen and brings_torch(environment.requirements)


def for_cpu(environment: Environment) -> Environment:
    return replace(environment, accelerator=CPU)


def has_gpus(facts: Mapping[str, object]) -> Optional[bool]:
    """Whether an endpoint has any, from its profile; None where that is not known."""
    partitions = facts.get("partitions") or []
    assert isinstance(partitions, list)
    counts = [
        partition.get("gpus_per_node") for partition in partitions if isinstance(partition, dict)
    ]
    if facts.get("gpus") or any(counts):
        return True
    is_known = None not in counts if counts else "gpus" in facts
    return False if is_known else None


def cpu_note(why: str) -> str:
    return (
        f"PyTorch comes in its CPU build, because {why}. "
        "For another one set `accelerator:`, for example cuda-12.8 or rocm-6.4"
    )
