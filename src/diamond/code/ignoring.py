"""Reads .gitignore and .diamondignore where git itself is not there to ask."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import List, Optional, Pattern, Set, Tuple

from diamond.code.globs import compile_glob
from diamond.core.errors import BadRequest

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
MOST_RULES = 5000
MATCHING_SECONDS = 20.0


@dataclass(frozen=True)
class Rule:
    pattern: Pattern[str]
    keeps: bool
    """A line that starts with `!` brings a path back."""
    folders_only: bool


def read_rules(folder: Path, base: str, names: Tuple[str, ...] = IGNORE_FILES) -> List[Rule]:
    """The rules written in one folder, which is at `base` ('' for the top) in the tree."""
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
    text = text[1:] if keeps else text
    folders_only, text = text.endswith("/"), text.rstrip("/")
    if not text:
        return None
    pattern = compile_glob(text.lstrip("/"), anchored="/" in text, base=base)
    return Rule(pattern, keeps, folders_only)


def is_ignored(path: str, is_folder: bool, rules: List[Rule]) -> bool:
    """Whether the last rule that matches leaves `path` out."""
    rule = last_match(path, is_folder, rules)
    return rule is not None and not rule.keeps


def is_under_ignored(path: str, rules: List[Rule]) -> bool:
    """The same for a path whose folders were not walked one by one."""
    parts = path.split("/")
    parents = ("/".join(parts[:n]) for n in range(1, len(parts)))
    return any(is_ignored(parent, True, rules) for parent in parents) or is_ignored(
        path, False, rules
    )


def last_match(path: str, is_folder: bool, rules: List[Rule]) -> Optional[Rule]:
    """The rule that decides about `path`; None where no rule speaks of it."""
    for rule in reversed(rules):
        if (is_folder or not rule.folders_only) and rule.pattern.match(path):
            return rule
    return None


class Matcher:
    """Applies the rules of one folder's walk, and gives up on rules that take longer than any real folder needs."""

    def __init__(self, seconds: float = MATCHING_SECONDS) -> None:
        self._left = seconds

    def last_match(self, path: str, is_folder: bool, rules: List[Rule]) -> Optional[Rule]:
        if len(rules) > MOST_RULES:
            raise BadRequest(
                f"More than {MOST_RULES} rules in ignore files apply to {path[:200]!r}",
                "Name folders instead of single files in .gitignore and .diamondignore.",
            )
        began = time.monotonic()
        rule = last_match(path, is_folder, rules)
        self._left -= time.monotonic() - began
        if self._left < 0:
            raise BadRequest(
                "The rules in .gitignore and .diamondignore take too long to apply to this folder",
                "Use fewer `*` in one pattern, and name folders instead of single files.",
            )
        return rule


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
    _walk(folder, "", [], walked, Matcher())
    return walked


def _walk(folder: Path, base: str, above: List[Rule], walked: Walked, matcher: Matcher) -> None:
    try:
        rules = above + read_rules(folder, base)
        with os.scandir(folder) as scanned:
            entries = sorted(scanned, key=lambda scanned_entry: scanned_entry.name)
    except PermissionError:
        raise BadRequest(
            f"The folder {base or str(folder)!r} cannot be read",
            "Make it readable, or name it in .diamondignore.",
        ) from None
    for entry in entries:
        path = f"{base}/{entry.name}" if base else entry.name
        is_folder = entry.is_dir(follow_symlinks=False)
        rule = matcher.last_match(path, is_folder, rules)
        if rule is not None and not rule.keeps:
            if not is_made_by_tools(Path(entry.path)):
                walked.ignored.append(f"{path}/" if is_folder else path)
            continue
        is_made = is_folder and is_made_by_tools(Path(entry.path))
        if entry.name == ".git" or (rule is None and is_made):
            walked.made_by_tools.add(entry.name)
        elif is_folder:
            _walk(Path(entry.path), path, rules, walked, matcher)
        else:
            walked.kept.append(path)


def is_made_by_tools(path: Path) -> bool:
    return path.name in MADE_BY_TOOLS or (path / "pyvenv.cfg").is_file()
