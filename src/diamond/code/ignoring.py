"""Reads .gitignore and .diamondignore where git itself is not there to ask."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import List, Optional, Pattern, Set, Tuple

IGNORE_FILES = (".gitignore", ".diamondignore")
MADE_BY_TOOLS = frozenset(
    {
        ".venv",
        "__pycache__",
        "node_modules",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".tox",
        ".nox",
        ".eggs",
        ".hypothesis",
        ".ipynb_checkpoints",
        ".hg",
        ".svn",
    }
)
"""Folders that are never code; a folder with a pyvenv.cfg is another, whatever its name."""


@dataclass(frozen=True)
class Rule:
    pattern: Pattern[str]
    keeps: bool
    """A line that starts with `!` brings a path back."""
    folders_only: bool


def read_rules(folder: Path, base: str, names: Tuple[str, ...] = IGNORE_FILES) -> List[Rule]:
    """The rules written in one folder, which lies at `base` ('' for the top) in the tree."""
    rules: List[Rule] = []
    for name in names:
        path = folder / name
        if path.is_file():
            lines = path.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
            rules += [rule for rule in (parse_rule(line, base) for line in lines) if rule]
    return rules


def parse_rule(line: str, base: str = "") -> Optional[Rule]:
    """One line of an ignore file; None for a comment or an empty line."""
    text = line.rstrip()
    if not text or text.startswith("#"):
        return None
    keeps = text.startswith("!")
    text = text[1:] if keeps or text.startswith("\\") else text
    folders_only, text = text.endswith("/"), text.rstrip("/")
    if not text:
        return None
    anchored = "/" in text
    head = re.escape(base + "/") if base else ""
    middle = "" if anchored else "(?:.*/)?"
    return Rule(re.compile(head + middle + _regex(text.lstrip("/")) + r"\Z"), keeps, folders_only)


def is_ignored(path: str, is_folder: bool, rules: List[Rule]) -> bool:
    """Whether the last rule that matches leaves `path` out."""
    rule = last_match(path, is_folder, rules)
    return rule is not None and not rule.keeps


def is_under_ignored(path: str, rules: List[Rule]) -> bool:
    """The same for a path whose folders were not walked one by one."""
    parts = path.split("/")
    parents = ("/".join(parts[:n]) for n in range(1, len(parts)))
    return any(is_ignored(one, True, rules) for one in parents) or is_ignored(path, False, rules)


def last_match(path: str, is_folder: bool, rules: List[Rule]) -> Optional[Rule]:
    """The rule that decides about `path`; None where no rule speaks of it."""
    for rule in reversed(rules):
        if (is_folder or not rule.folders_only) and rule.pattern.match(path):
            return rule
    return None


_PIECES = re.compile(r"\*\*/|/\*\*\Z|\*+|\?|\[[!^]?\]?[^\]]*\]|.", re.DOTALL)


def _regex(glob: str) -> str:
    return "".join(_piece(match.group()) for match in _PIECES.finditer(glob))


def _piece(piece: str) -> str:
    if piece == "**/":
        return "(?:.*/)?"
    if piece == "/**":
        return "/.*"
    if piece.startswith("*"):
        return "[^/]*"
    if piece == "?":
        return "[^/]"
    if len(piece) > 2 and piece.startswith("["):
        return "[^" + piece[2:] if piece[1] in "!^" else piece
    return re.escape(piece)


@dataclass
class Walked:
    kept: List[str] = field(default_factory=list)
    made_by_tools: Set[str] = field(default_factory=set)
    """Names of the folders that were left out although no ignore file names them."""
    ignored: List[str] = field(default_factory=list)
    """What an ignore file leaves out, except for what tools make; folders end with a slash."""


def walk_kept(folder: Path) -> Walked:
    """Every path below `folder` that no ignore file leaves out, folders' rules read on the way.

    What tools make is left out by itself; a line such as `!node_modules/` brings it back.
    """
    walked = Walked()
    _walk(folder, "", [], walked)
    return walked


def _walk(folder: Path, base: str, above: List[Rule], walked: Walked) -> None:
    rules = above + read_rules(folder, base)
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda one: one.name):
            path = f"{base}/{entry.name}" if base else entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            rule = last_match(path, is_folder, rules)
            if rule is not None and not rule.keeps:
                if not is_made_by_tools(Path(entry.path)):
                    walked.ignored.append(f"{path}/" if is_folder else path)
                continue
            is_made = is_folder and is_made_by_tools(Path(entry.path))
            if entry.name == ".git" or (rule is None and is_made):
                walked.made_by_tools.add(entry.name)
            elif is_folder:
                _walk(Path(entry.path), path, rules, walked)
            else:
                walked.kept.append(path)


def is_made_by_tools(path: Path) -> bool:
    return path.name in MADE_BY_TOOLS or (path / "pyvenv.cfg").is_file()
