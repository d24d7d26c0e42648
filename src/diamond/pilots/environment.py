"""The environment of a pilot: the engine and nothing else, made by the agent like any other."""

from __future__ import annotations

from typing import Optional

from diamond.core.errors import BadRequest
from diamond.core.order import Environment

ENGINES = {"dask": ["distributed==2026.8.0", "cryptography==50.0.2"], "direct": []}
"""What each engine needs to be installed; a stage never sees it."""


def environment_of(engine: str) -> Optional[Environment]:
    """None for an engine that needs nothing. Raises `BadRequest` for one that nobody knows."""
    if engine not in ENGINES:
        raise BadRequest(f"There is no engine {engine!r}", f"Known are {', '.join(ENGINES)}.")
    return Environment(requirements=list(ENGINES[engine])) if ENGINES[engine] else None
