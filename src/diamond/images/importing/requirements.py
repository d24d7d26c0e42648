"""A `requirements.txt`."""

from __future__ import annotations

import re
from typing import Iterator, List

from diamond.core.order import Environment
from diamond.images.importing.base import Imported

_HASH = re.compile(r"\s--hash=\S+")
_SITE_OPTIONS = ("-i", "--index-url", "--extra-index-url", "-f", "--find-links", "--trusted-host")


def from_requirements(text: str) -> Imported:
    """Requirements as they are; a file full of hashes is a lock and is kept whole."""
    lines = list(logical_lines(text))
    if any("--hash=" in line for line in lines):
        names = [_HASH.sub("", line).strip() for line in lines if not line.startswith("-")]
        kept = "\n".join(line for line in lines if not line.startswith("-")) + "\n"
        return Imported(Environment(requirements=names, lock=kept), _options(lines))
    return Imported(
        Environment(requirements=[line for line in lines if not line.startswith("-")]),
        _options(lines),
    )


def logical_lines(text: str) -> Iterator[str]:
    """Lines joined at backslashes, without comments and blank ones."""
    for line in re.sub(r"\\\r?\n", " ", text).splitlines():
        line = re.sub(r"(^|\s)#.*$", "", line)
        line = re.sub(r"\s+", " ", line).strip()
        if line:
            yield line


def _options(lines: List[str]) -> List[str]:
    said = []
    for line in lines:
        word = re.split(r"[ =]", line, maxsplit=1)[0]
        if word in _SITE_OPTIONS:
            said.append(
                f"`{word}` belongs to the site, not to the environment: set it in the profile's `build`"
            )
        elif word in ("-r", "--requirement", "-c", "--constraint"):
            said.append(f"`{line}` names another file: import that one too")
        elif word in ("-e", "--editable"):
            said.append(f"`{line}` is a folder of your own machine: send it as the job's code")
        elif line.startswith("-"):
            said.append(f"`{line}` is an option that is not imported")
    return said
