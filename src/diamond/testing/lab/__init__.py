"""Real Slurm clusters of several nodes on one Debian machine: for tests, lectures, first steps."""

from __future__ import annotations

from .lab import Cluster, Lab
from .shape import LabError

__all__ = ["Cluster", "Lab", "LabError"]
