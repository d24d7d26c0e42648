"""What goes wrong on one rank is an error on every rank, soon, and it says what and where."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from diamond.launchers.ranks.rank_files import RankFiles
from support.framing import run_ranks, start_rank

FAULTS = {
    "schema": "the column 'b' is INTEGER in .*0.parquet, but DOUBLE in .*1.parquet",
    "missing": "no file, folder|no file in|nowhere",
    "value": "three",
    "header": r"1.csv has the columns \['b', 'a'\]",
    "differ": "Every rank must make the same calls|does something else",
    "null": "the column 'x' has 1 nulls",
    "leaves": "rank 1 is lost|have ended",
}


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_a_fault_is_an_error_on_all_ranks(data: Path, tmp_path: Path, fault: str) -> None:
    ranks = run_ranks(2, tmp_path, "fault", data, fault)
    for code, printed, error in ranks[: 1 if fault == "leaves" else 2]:
        assert code == 3, error
        assert_matches(FAULTS[fault], printed)


def test_a_killed_rank_ends_the_others_at_once(data: Path, tmp_path: Path) -> None:
    (tmp_path / "ranks").mkdir()
    began = time.monotonic()
    *others, killed = run_ranks(4, tmp_path, "fault", data, "killed")
    assert killed[0] == -9
    for code, printed, error in others:
        assert code == 3, error
        assert printed.startswith("RankLost: rank")
        assert "rank 3 is lost" in printed
    assert time.monotonic() - began < 30
    assert all(RankFiles(tmp_path).is_connected(rank) for rank in range(4))


def test_a_rank_that_does_not_come_is_not_waited_for_forever(data: Path, tmp_path: Path) -> None:
    ranks = [start_rank(rank, 3, tmp_path, "fault", data, "absent") for rank in range(3)]
    try:
        for rank in ranks[:2]:
            printed, error = rank.communicate(timeout=60)
            assert rank.returncode == 3, error
            assert_matches(r"\[2\] did not take part in group|ranks? .* did not", printed)
    finally:
        for rank in ranks:
            rank.kill()
            rank.communicate()


def assert_matches(pattern: str, text: str) -> None:
    assert re.search(pattern, text), text
