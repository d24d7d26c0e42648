"""Patterns of ignore files as regular expressions that cannot be made slow.

A plain translation backtracks through every way to share a path among the stars: `*a*a*a*b` takes minutes for a name of
thirty letters. Here each star takes the first place where what follows it fits, and never gives it back: a later star could
take whatever an earlier one left. `(?=(?P<g>…))(?P=g)` says so in Python before 3.11, which has no atomic groups.
"""

from __future__ import annotations

import re
from itertools import count
from typing import Iterator, List, Pattern

LONGEST = 4096
"""No path is longer on Linux."""
_TOKENS = re.compile(r"\\.|\*+|\?|\[[!^]?\]?[^\]/]*\]|.", re.DOTALL)
_NOTHING = "(?!)"


def compile_glob(glob: str, *, anchored: bool, base: str = "") -> Pattern[str]:
    """Matches whole paths below the folder `base`: at its top, or at any depth unless `anchored`."""
    if len(base) + len(glob) > LONGEST:
        return re.compile(_NOTHING)
    parts = glob.split("/") if anchored else ["**", glob]
    head = re.escape(base + "/") if base else ""
    return re.compile(head + _path(parts, count()) + r"\Z")


def _path(parts: List[str], numbers: Iterator[int]) -> str:
    """Runs of folders between `**`: each takes its first place; the last one is held by the end of the path."""
    runs: List[List[str]] = [[]]
    for part in parts:
        if part.startswith("**") and not part.strip("*"):
            runs.append([])
        else:
            runs[-1].append(_name(part, numbers))
    if not runs[-1]:
        return _runs(runs[:-1], numbers) + "[^/].*"
    return _runs(runs[:-1], numbers) + ("(?:.*/)?" if runs[1:] else "") + "/".join(runs[-1])


def _runs(runs: List[List[str]], numbers: Iterator[int]) -> str:
    first = "".join(f"{name}/" for name in runs[0]) if runs else ""
    rest = ("".join(f"{name}/" for name in run) for run in runs[1:] if run)
    return first + "".join(_held(f"(?:[^/]*/)*?{run}", numbers) for run in rest)


def _name(glob: str, numbers: Iterator[int]) -> str:
    """One name of a path."""
    fixed: List[str] = [""]
    for token in _TOKENS.findall(glob):
        if token.startswith("*"):
            fixed.append("")
        else:
            fixed[-1] += _character(token)
    if len(fixed) == 1:
        return fixed[0]
    held = "".join(_held(f"[^/]*?{text}", numbers) for text in fixed[1:-1] if text)
    return f"{fixed[0]}{held}[^/]*{fixed[-1]}"


def _held(expression: str, numbers: Iterator[int]) -> str:
    name = f"g{next(numbers)}"
    return f"(?=(?P<{name}>{expression}))(?P={name})"


def _character(token: str) -> str:
    if token == "?":
        return "[^/]"
    if len(token) > 2 and token.startswith("["):
        return _class(token[1:-1])
    return re.escape(token[1:] if len(token) == 2 else token)


def _class(inside: str) -> str:
    """`[a-z]`, `[!a-z]`; a range that runs backwards holds its first letter, as in git."""
    is_negated = inside[0] in "!^"
    inside = inside[1:] if is_negated else inside
    members, at = "", 0
    while at < len(inside):
        first = last = inside[at]
        if inside[at + 1 : at + 2] == "-" and at + 2 < len(inside):
            last, at = inside[at + 2], at + 2
        members += f"{re.escape(first)}-{re.escape(max(first, last))}"
        at += 1
    if is_negated:
        return f"[^/{members}]"
    return f"(?!/)[{members}]"
