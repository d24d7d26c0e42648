"""Which engine a pilot has."""

from __future__ import annotations

from typing import Dict, List, Mapping

from diamond.launchers.starters.registry import node_starters
from diamond.pilots.direct_engine import DirectEngine
from diamond.pilots.engine import Engine
from diamond.pilots.settings import DASK, PilotSettings


def make_engine(settings: PilotSettings, environment: Mapping[str, str]) -> Engine:
    places = _places(settings)
    if settings.engine == DASK:
        from diamond.pilots.dask_engine import DaskEngine

        return DaskEngine(settings, environment, places)
    return DirectEngine(settings, environment, places)


def _places(settings: PilotSettings) -> Dict[str, List[str]]:
    """Each node of the allocation with the words that start a process there."""
    starter = settings.starter if settings.nodes > 1 else ""
    return node_starters(starter, cores=settings.cores)
