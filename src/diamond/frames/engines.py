"""The libraries that do the work, from the person's own environment. Each is imported when it is first used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from diamond.frames.errors import MissingPackage


def numpy() -> Any:
    return engine("numpy")


def arrow() -> Any:
    return engine("pyarrow")


def duckdb() -> Any:
    return engine("duckdb")


def engine(name: str) -> Any:
    """The module, or an error that names the package to add."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise MissingPackage(
            f"diamond.frames needs the package {name!r}: add it to `environment: {{requirements: [{name}]}}` in diamond.yaml"
        ) from None
