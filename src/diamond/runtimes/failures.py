"""Why an environment could not be made, in words, with the next step."""

from __future__ import annotations

import re
from typing import List, Tuple

from diamond.core.errors import EnvironmentFailed

UNREACHABLE = "The package index could not be reached"


def explain(lines: List[str], *, log: str) -> EnvironmentFailed:
    """The error for a build that ended with these lines."""
    text = "\n".join(lines)
    for pattern, message, hint in _KNOWN:
        if re.search(pattern, text, re.IGNORECASE):
            return _failed(message, hint, lines, log)
    hint = "The lines above are from the installer; the first that says `error` tells most."
    return _failed("The environment could not be made", hint, lines, log)


def packing_failed(lines: List[str]) -> EnvironmentFailed:
    said = "\n".join(f"    {line}" for line in lines[-8:])
    return EnvironmentFailed(
        f"The image could not be packed:\n{said}",
        "Most often there is no room left in the endpoint's work folder.",
    )


def _failed(message: str, hint: str, lines: List[str], log: str) -> EnvironmentFailed:
    said = "\n".join(f"    {line}" for line in lines)
    return EnvironmentFailed(
        f"{message}:\n{said}", f"{hint} The whole output is in {log} on that machine."
    )


_KNOWN: Tuple[Tuple[str, str, str], ...] = (
    (
        r"no space left|disk quota exceeded|os error 28|os error 122",
        "There is no room for the environment",
        "Free some room in the endpoint's work folder (`diamond clean` helps), then `diamond retry`.",
    ),
    (
        r"no interpreter found|no python at|no download found for request",
        "That version of Python is not on the machine",
        "Leave out `python:` to take the machine's own, or name a version that it has.",
    ),
    (
        r"no wheels? with a matching|requires-python|current python version|requires a different python"
        r"|cp3\d+.*abi|matching platform|not a supported wheel",
        "A package has no build for this Python or this kind of machine",
        "Name another version of it, or another Python with `environment: {python: '3.11', …}`.",
    ),
    (
        r"failed to fetch|dns error|connection refused|timed out|network is unreachable|could not connect"
        r"|name resolution|error sending request|connection broken|new connection",
        UNREACHABLE,
        "If this machine has no internet, point pip to the site's mirror or wheel folder"
        " (`pip config set global.index-url …`); Diamond uses the same settings.",
    ),
    (
        r"not found in the (package registry|provided package locations)|no matching distribution|there is no version"
        r"|no versions? of|no solution found|unsatisfiable|could not find a version",
        "The requirements cannot be met together",
        "Check the names and versions under `requirements:`.",
    ),
    (
        r"failed to parse|couldn't parse|expected package name|invalid requirement|invalid version",
        "A line under `requirements:` is not one that an installer understands",
        "Write one package a line, such as `torch==2.13.0` or `numpy>=2`.",
    ),
    (
        r"failed to build|error: command '.*(gcc|cc)'|subprocess-exited-with-error",
        "A package must be compiled here and that failed",
        "Choose a version that comes ready-made (a wheel), or load a compiler in the site profile's `modules`.",
    ),
    (
        r"permission denied|read-only file system",
        "The work folder cannot be written",
        "Check the endpoint's folders with `diamond endpoint show`.",
    ),
)
