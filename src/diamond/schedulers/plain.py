"""The lines of a batch script for somebody else's cluster, in the dialect that most clusters speak."""

from __future__ import annotations

from typing import List

from diamond.core.order import Resources
from diamond.schedulers.slurm_directives import plain_directives


def batch_lines(name: str, resources: Resources) -> List[str]:
    return plain_directives(name, resources)
