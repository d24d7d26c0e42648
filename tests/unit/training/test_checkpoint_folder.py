"""A folder of checkpoints belongs to one run at a time, and only what is whole is seen in it."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from diamond.training.checkpoints import manifest
from diamond.training.checkpoints.errors import Superseded
from diamond.training.checkpoints.folder import Folder, Keep
from diamond.training.checkpoints.manifest import Manifest


def folder_with(
    root: Path, *saved: tuple[int, int], metric: dict[int, float] | None = None
) -> Folder:
    folder = Folder(root)
    for claim, step in saved:
        while folder.highest_claim() < claim:
            folder.claim({})
        commit(folder, step, claim, (metric or {}).get(step))
    return folder


def commit(folder: Folder, step: int, claim: int, metric: float | None = None) -> Path:
    name = folder.name_for(step, claim)
    aside = folder.aside(name, 1)
    aside.mkdir()
    described = Manifest(step, claim, 1, 0.0, [], metric)
    (aside / manifest.NAME).write_bytes(manifest.encode(described))
    return folder.commit(aside, name, claim)


def steps(folder: Folder) -> list[tuple[int, int]]:
    return [one.order for one in folder.saved()]


def test_every_run_that_uses_a_folder_gets_a_higher_number(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    assert [folder.claim({}) for _ in range(3)] == [1, 2, 3]


def test_the_newest_comes_first_and_a_later_run_is_newer_than_any_step_of_an_earlier(
    tmp_path: Path,
) -> None:
    folder = folder_with(tmp_path, (1, 100), (1, 300), (2, 200))
    assert steps(folder) == [(2, 200), (1, 300), (1, 100)]


def test_what_is_not_committed_is_not_seen(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, (1, 5))
    folder.aside(folder.name_for(6, 1), 1).mkdir()
    assert steps(folder) == [(1, 5)]


def test_the_pointer_follows_each_commit(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, (1, 5), (1, 6))
    assert (tmp_path / "latest").resolve().name == folder.name_for(6, 1)


def test_an_older_run_can_neither_commit_nor_move_the_pointer_nor_prune(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, (1, 5), (2, 6))
    with pytest.raises(Superseded, match="run 2 of this folder has started"):
        commit(folder, 9, 1)
    assert folder.prune(Keep(newest=1), claim=1) == []
    assert (tmp_path / "latest").resolve().name == folder.name_for(6, 2)
    assert steps(folder) == [(2, 6), (1, 5)]


def test_an_attempt_that_starts_late_is_refused_when_a_later_one_has_the_folder(
    tmp_path: Path,
) -> None:
    folder = Folder(tmp_path)
    folder.claim({"task": "t", "attempt_number": "2", "run": "1"})
    with pytest.raises(Superseded):
        folder.claim({"task": "t", "attempt_number": "1", "run": "1"})
    assert folder.claim({"task": "t", "attempt_number": "2", "run": "2"}) == 2


def test_a_new_run_clears_away_what_an_earlier_one_left_half_written(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, (1, 5))
    left = folder.aside(folder.name_for(6, 1), 1)
    left.mkdir()
    folder.claim({})
    assert not left.exists()
    assert steps(folder) == [(1, 5)]


def test_the_newest_stay_and_the_rest_goes(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, (1, 1), (1, 2), (1, 3), (1, 4))
    removed = folder.prune(Keep(newest=2), claim=1)
    assert sorted(removed) == [folder.name_for(1, 1), folder.name_for(2, 1)]
    assert steps(folder) == [(1, 4), (1, 3)]
    assert not list(tmp_path.glob(".gone-*"))


@pytest.mark.parametrize(("mode", "best"), [("min", 2), ("max", 1)])
def test_the_best_by_its_metric_stays_too(tmp_path: Path, mode: str, best: int) -> None:
    losses = {1: 0.9, 2: 0.1, 3: 0.5, 4: 0.4}
    folder = folder_with(tmp_path, *((1, step) for step in losses), metric=losses)
    folder.prune(Keep(newest=1, best=mode), claim=1)
    assert steps(folder) == [(1, 4), (1, best)]


def test_what_a_resume_has_passed_over_does_not_push_out_what_is_whole(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, (1, 5), (1, 6), (2, 7))
    folder.prune(Keep(newest=2, damaged=frozenset({folder.name_for(6, 1)})), claim=2)
    assert steps(folder) == [(2, 7), (1, 5)]


def test_a_metric_that_is_no_number_is_not_the_best(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, (1, 1), (1, 2), (1, 3), metric={1: 0.5, 2: 0.9, 3: math.nan})
    folder.prune(Keep(newest=1, best="min"), claim=1)
    assert steps(folder) == [(1, 3), (1, 1)]


def test_what_a_killed_writer_left_half_written_goes_with_a_later_save(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, (1, 5))
    left = [folder.aside(folder.name_for(6, 1), serial) for serial in (2, 3, 4)]
    for path in left:
        path.mkdir()
    folder.sweep(claim=1, serial=3)
    assert [path.exists() for path in left] == [False, True, True]
