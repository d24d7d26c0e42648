"""A requirements list pinned to the versions that a run had."""

from __future__ import annotations

import re
from typing import List, Mapping, Sequence

_PLAIN = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(\[[^\]]*\])?\s*([=<>!~].*)?")
"""A name with extras and versions; not an option, a path, a URL or a line with a marker."""
_VERSION = re.compile(r"[0-9][0-9A-Za-z.!_-]*")
TOOLS = frozenset({"pip", "setuptools", "wheel", "uv", "diamond"})
"""What makes an environment, not what a program computes with."""


def pinned(requirements: Sequence[str], packages: Mapping[str, str]) -> List[str]:
    """The same list at exactly these versions, and what its packages needed after it.

    Lines that say more than a name and versions stay as they are. `packages`: all that the run could import. A local part
    of a version (`+cpu`) is left out: it says which build the machine chose.
    """
    versions = {
        _normal(name): version.partition("+")[0]
        for name, version in packages.items()
        if _normal(name) not in TOOLS and _VERSION.fullmatch(version.partition("+")[0])
    }
    lines, named = [], set()
    for line in requirements:
        match = _PLAIN.fullmatch(line)
        name = _normal(match.group(1)) if match else ""
        if match and name in versions:
            lines.append(f"{match.group(1)}{match.group(2) or ''}=={versions[name]}")
            named.add(name)
        else:
            lines.append(line)
            named.add(_normal(re.split(r"[^A-Za-z0-9._-]", line.strip(), maxsplit=1)[0]))
    needed = sorted(set(versions) - named)
    return lines + [f"{name}=={versions[name]}" for name in needed]


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
