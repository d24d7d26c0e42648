"""When a run is called hung."""

from __future__ import annotations

from diamond.launchers.ranks.hang_detection import (
    SHORTEST_SECONDS,
    ProgressMonitor,
    progress_words,
    silent_rank,
    slowest,
)


def beating(*times: float, patience: float = 0.0) -> ProgressMonitor:
    progress = ProgressMonitor(patience)
    for at in times:
        progress.seen(at, at)
    return progress


def test_a_program_that_logs_nothing_is_never_called_hung() -> None:
    progress = ProgressMonitor(0)
    progress.seen(None, 1.0)
    assert progress.silent_for(10**9) is None


def test_it_takes_three_signs_before_anything_is_expected() -> None:
    assert beating(1.0, 2.0).silent_for(10**6) is None
    assert beating(1.0, 2.0, 3.0).silent_for(10**6)


def test_the_patience_is_twenty_times_the_longest_gap_and_ten_minutes_at_least() -> None:
    quick, slow = beating(0.0, 1.0, 2.0), beating(0.0, 100.0, 200.0)
    assert quick.limit == SHORTEST_SECONDS
    assert quick.silent_for(2.0 + SHORTEST_SECONDS) is None
    assert quick.silent_for(3.0 + SHORTEST_SECONDS)
    assert slow.limit == 2000.0


def test_the_same_sign_again_is_no_progress() -> None:
    progress = beating(0.0, 1.0, 2.0)
    progress.seen(2.0, 500.0)
    assert progress.silent_for(700.0) == 698.0


def test_a_persons_own_patience_counts_from_the_first_sign() -> None:
    assert beating(0.0, patience=5.0).silent_for(6.0) == 6.0
    assert ProgressMonitor(5.0).silent_for(6.0) is None


def test_what_is_written_in_bulk_is_awaited_for_some_gaps_whatever_the_patience() -> None:
    progress = ProgressMonitor(60.0)
    for at in (0.0, 120.0):
        progress.seen(at, at, in_bulk=True)
    assert progress.silent_for(10**6) is None, "two signs tell of no habit yet"
    progress.seen(240.0, 240.0, in_bulk=True)
    assert progress.silent_for(240.0 + 360.0) is None
    assert progress.silent_for(240.0 + 361.0)
    progress.seen("a step", 250.0)
    assert progress.silent_for(250.0 + 61.0), "one that tells its steps is held to the patience"


def test_a_file_that_is_written_once_an_epoch_tells_no_pace_by_how_it_begins() -> None:
    """Its head, its graph and the first lines of output come within moments; an epoch takes a quarter of an hour."""
    progress = ProgressMonitor(0)
    for at in (0.0, 10.0, 20.0, 30.0):
        progress.seen(at, at, in_bulk=True)
        progress.active(at)
    assert progress.silent_for(900.0) is None
    for at in (930.0, 1830.0):
        progress.seen(at, at, in_bulk=True)
    assert progress.limit == 20 * 900.0
    progress.active(1900.0)
    assert progress.silent_for(1900.0 + progress.limit) is None
    assert progress.silent_for(1901.0 + progress.limit)


def test_a_time_in_which_nothing_could_be_seen_is_no_silence_and_no_gap() -> None:
    progress = beating(0.0, 1.0, 2.0)
    progress.resume(5000.0)
    assert progress.silent_for(5500.0) is None
    progress.seen("next", 5001.0)
    assert progress.limit == SHORTEST_SECONDS
    assert progress.silent_for(5002.0 + SHORTEST_SECONDS)


def test_it_is_said_that_all_stand_at_one_step_only_if_all_have_told_theirs() -> None:
    assert progress_words({0: 7, 1: 7}, 2) == "; all ranks are at step 7"
    assert "not every rank" in progress_words({0: 7}, 2)
    assert "not every rank" in progress_words({}, 2)
    assert progress_words({0: 7}, 1) == ""


def test_the_rank_that_stands_behind_is_found_if_it_is_one() -> None:
    assert slowest({0: 7, 1: 6, 2: 7}) == 1
    assert slowest({0: 7, 1: 7}) is None
    assert slowest({0: 6, 1: 6, 2: 7}) is None
    assert slowest({0: 3}) is None


def test_a_silent_rank_is_compared_with_others_and_not_with_a_clock() -> None:
    assert silent_rank({0: 1000.0, 1: 600.0}) == 1
    assert silent_rank({0: 1000.0, 1: 990.0}) is None
    assert silent_rank({0: 1000.0}) is None
