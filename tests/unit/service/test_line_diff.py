from __future__ import annotations

import time
from pathlib import Path

import pytest

from diamond.service.jobs import line_diff
from diamond.service.jobs.line_diff import Pair, compare_all


def test_texts_and_files_are_shown_as_git_does(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("a\nb\n")
    shown = compare_all([Pair("x.py", tmp_path / "old", "a\nc\n"), Pair("y.py", "", "new")])
    assert shown.startswith("diff x.py\n--- a/x.py\n+++ b/x.py\n")
    assert "-b\n+c\n" in shown
    assert "--- /dev/null\n+++ b/y.py\n" in shown


def test_what_cannot_be_compared_is_named(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(b"x" * (line_diff.MOST_BYTES + 1))
    shown = compare_all([Pair("a", tmp_path / "big", "x"), Pair("b", None, "x")])
    assert shown.count("cannot be shown line by line") == 2


def test_files_that_take_too_long_are_named_and_the_rest_is_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two files of 500 kB with lines that repeat kept a thread busy for minutes."""
    monkeypatch.setattr(line_diff, "FILE_SECONDS", 0.3)
    before = "\n".join(str(number % 400) for number in range(120_000))
    after = "\n".join(str(number * 7 % 401) for number in range(120_000))
    began = time.process_time()
    shown = compare_all([Pair("slow.txt", before, after), Pair("x.py", "a\n", "b\n")])
    assert "slow.txt differs in so many lines that comparing them takes too long" in shown
    assert "-a\n+b\n" in shown
    assert time.process_time() - began < 9
