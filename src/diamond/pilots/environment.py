"""The environment of a pilot: the engine and nothing else, made by the agent like any other."""

from __future__ import annotations

from diamond.core.order import Environment

ENGINES = {"dask": ["distributed==2026.8.0"]}
"""What each engine needs to be installed; a stage never sees it."""


def environment_of(engine: str) -> Environment:
    return Environment(requirements=list(ENGINES[engine]))
