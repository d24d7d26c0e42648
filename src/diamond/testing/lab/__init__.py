"""Real Slurm clusters with several nodes on one Debian machine, for tests, teaching and first steps."""

from __future__ import annotations

from .lab import Cluster, Lab
from .shape import LabError

__all__ = ["Cluster", "Lab", "LabError"]
