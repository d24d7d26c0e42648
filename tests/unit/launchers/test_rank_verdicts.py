"""How a run ended and whose doing it was, from the ranks' marks."""

from __future__ import annotations

import signal
from typing import Any

from diamond.launchers.ranks.marks import Ending, Start
from diamond.launchers.ranks.verdict import Verdict, judge

LOST_PEER = ("RuntimeError: Connection closed by peer [127.0.0.1]:4711",)


def of(*endings: Ending, expected: int = 0, launcher: int = 1, starts: int = 0) -> Verdict:
    count = starts or expected or len(endings)
    began = {rank: Start(rank, f"n{rank}", 0.0) for rank in range(count)}
    told = {one.rank: one for one in endings}
    return judge(told, began, expected=expected or count, launcher=launcher)


def ended(rank: int, code: int = 0, **more: Any) -> Ending:
    return Ending(rank, f"n{rank}", code, **more)


def test_all_ranks_at_zero_are_a_success_whatever_the_launcher_says() -> None:
    verdict = of(ended(0), ended(1), launcher=1)
    assert (verdict.code, verdict.culprit) == (0, None)
    assert "every rank came to its end" in verdict.note


def test_one_that_asks_to_be_continued_speaks_for_all() -> None:
    assert of(ended(0, 75), ended(1)).code == 75


def test_a_signal_after_finish_is_no_failure() -> None:
    assert of(ended(0), ended(1, signal=signal.SIGABRT, finished=True)).code == 0
    assert of(ended(0), ended(1, signal=signal.SIGABRT)).code == 134


def test_the_first_to_fail_is_the_culprit() -> None:
    verdict = of(
        ended(0, 1, at=11.0), ended(1, 3, at=10.0, lines=("ValueError: bad",)), ended(2, 1, at=12.0)
    )
    assert verdict.code == 3
    assert verdict.culprit
    assert verdict.culprit.message == (
        "rank 1 on n1 ended with exit code 3; the 2 others were ended. It wrote last:\nValueError: bad"
    )
    assert not verdict.culprit.blames_node


def test_a_rank_that_lost_its_peer_is_not_blamed_even_if_its_mark_is_older() -> None:
    verdict = of(ended(0, 1, at=9.0, lines=LOST_PEER), ended(1, 1, at=10.0, lines=("KeyError: 3",)))
    assert verdict.culprit
    assert verdict.culprit.rank == 1


def test_a_kill_is_nobodys_consequence() -> None:
    verdict = of(ended(0, 1, at=9.0), ended(1, signal=signal.SIGKILL, at=10.0))
    assert verdict.culprit
    assert (verdict.culprit.rank, verdict.culprit.reason, verdict.code) == (1, "signal", 137)
    assert verdict.culprit.blames_node


def test_want_of_memory_is_read_from_the_last_lines_and_blames_no_node() -> None:
    lines = ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB",)
    verdict = of(ended(0), ended(1, 1, lines=lines))
    assert verdict.culprit
    assert verdict.culprit.reason == "out-of-memory"
    assert "for want of memory" in verdict.culprit.message
    assert not verdict.culprit.blames_node


def test_ranks_that_were_told_to_end_are_not_to_blame() -> None:
    verdict = of(ended(0, signal=signal.SIGTERM, told=True), ended(1, told=True))
    assert (verdict.code, verdict.culprit) == (143, None)


def test_a_rank_without_a_last_word_is_named() -> None:
    verdict = of(ended(0), expected=2, launcher=137)
    assert verdict.culprit
    assert verdict.culprit.rank == 1
    assert "vanished" in verdict.culprit.message
    assert verdict.code == 137


def test_a_launcher_that_started_nothing_speaks_for_itself() -> None:
    assert judge({}, {}, expected=4, launcher=2).code == 2


def test_a_launcher_that_ends_well_is_believed_about_marks_not_seen_yet() -> None:
    assert of(ended(0), expected=2, launcher=0).code == 0
