"""The critical path: the stages that decided when a pipeline ended. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from diamond.pipelines.graph import Graph


def critical_path(graph: Graph, ends: Mapping[str, float]) -> list[str]:
    """From the stage that ended last, always to the parent that ended last; first stage first. `ends`: of those that ran."""
    if not ends:
        return []
    path = [max(ends, key=lambda name: ends[name])]
    while parents := [name for name in graph.parents(path[-1]) if name in ends]:
        path.append(max(parents, key=lambda name: ends[name]))
    return path[::-1]
