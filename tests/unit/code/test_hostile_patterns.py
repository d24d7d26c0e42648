"""Ignore files come from strangers too: no pattern is slow, and no pattern is an internal error."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from diamond.code.folder_listing import choose_listed
from diamond.code.ignoring import Matcher, is_under_ignored, parse_rule, walk_kept
from diamond.core.errors import BadRequest

SLOW_ONCE = [
    ("*a*a*a*a*a*a*a*a*a*a*a*a*a*b", "a" * 60),
    ("*" + "?*" * 40 + "x", "y" * 200),
    ("**/a/" * 12 + "b", "a/" * 60 + "c"),
    ("**/*a*/" * 8 + "b", "aaaa/" * 30 + "c"),
    ("*a" * 1000 + "b", "a" * 2000),
]


@pytest.mark.parametrize(("pattern", "path"), SLOW_ONCE)
def test_a_pattern_with_many_stars_answers_at_once(pattern: str, path: str) -> None:
    began = time.process_time()
    chosen = choose_listed([path], {".gitignore": pattern})
    assert chosen.take == [path]
    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    ("pattern", "matching", "other"),
    [
        ("*a*a*b", "xaab", "xab"),
        ("*.py[co]", "deep/x.pyc", "x.py"),
        ("/a/**/b", "a/x/y/b", "a/x/y/c"),
        ("/a/**/b", "a/b", "x/a/b"),
        ("a/**", "a/x/y", "b/a"),
        ("**/cache/*.bin", "x/cache/a.bin", "cache/x/a.bin"),
        ("**/a/**/b/**/c", "a/b/a/x/b/c", "b/a/c"),
        ("[!a-c]x", "dx", "ax"),
        ("[z-a]", "z", "m"),
        ("[]-]", "]", "x"),
        ("[", "[", "x"),
        ("[a", "[a", "a"),
        ("\\!keep", "!keep", "keep"),
        ("\\*", "*", "x"),
        ("a?c", "abc", "a/c"),
        ("[!x]", "y", "x"),
    ],
)
def test_patterns_mean_what_git_says(pattern: str, matching: str, other: str) -> None:
    rule = parse_rule(pattern)
    assert rule is not None
    assert is_under_ignored(matching, [rule])
    assert not is_under_ignored(other, [rule])


def test_a_pattern_longer_than_any_path_matches_nothing() -> None:
    rule = parse_rule("*" * 100_000 + "a")
    assert rule is not None
    assert not is_under_ignored("a", [rule])


def test_rules_without_number_are_rejected(tmp_path: Path) -> None:
    rules = "\n".join(f"name{number}" for number in range(6000))
    with pytest.raises(BadRequest, match="More than 5000 rules"):
        choose_listed(["train.py"], {".gitignore": rules})
    (tmp_path / ".gitignore").write_text(rules)
    with pytest.raises(BadRequest, match="More than 5000 rules"):
        walk_kept(tmp_path)


def test_matching_has_an_end() -> None:
    matcher = Matcher(seconds=0.0)
    rule = parse_rule("*.log")
    assert rule is not None
    with pytest.raises(BadRequest, match="take too long"):
        matcher.last_match("a" * 1000, False, [rule])


def test_a_path_of_endless_folders_is_rejected() -> None:
    with pytest.raises(BadRequest, match="more than 200 folders deep"):
        choose_listed(["a/" * 5000 + "b"], {})


def test_a_folder_that_cannot_be_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root can read any folder, so its mode alone would not do."""
    scan = os.scandir

    def refuse(folder: Path) -> Any:
        if Path(folder).name == "private":
            raise PermissionError(13, "Permission denied")
        return scan(folder)

    (tmp_path / "lib" / "private").mkdir(parents=True)
    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(BadRequest, match="The folder 'lib/private' cannot be read"):
        walk_kept(tmp_path)
