"""How a run ended and whose doing it was, from the ranks' files."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from diamond.launchers.ranks.rank_files import Ending, RankFiles, Start
from diamond.launchers.ranks.verdict import Verdict, judge
from diamond.launchers.starters.srun import Srun

LOST_PEER = ("RuntimeError: Connection closed by peer [127.0.0.1]:4711",)


def of(*endings: Ending, expected: int = 0, launcher: int = 1, **more: Any) -> Verdict:
    """All that are expected have begun."""
    count = expected or len(endings)
    told = {one.rank: one for one in endings}
    unended = {rank: Start(rank, f"n{rank}", 0.0) for rank in range(count) if rank not in told}
    return judge(told, unended, expected=count, launcher=launcher, **more)


def ended(rank: int, code: int = 0, **more: Any) -> Ending:
    return Ending(rank, f"n{rank}", code, **more)


def test_all_ranks_at_zero_are_a_success_whatever_the_launcher_says() -> None:
    verdict = of(ended(0), ended(1), launcher=1)
    assert (verdict.code, verdict.culprit) == (0, None)
    assert "every rank finished" in verdict.note


def test_ranks_that_all_worked_alone_are_warned_about() -> None:
    alone = of(ended(0, alone=True), ended(1, alone=True), launcher=0)
    assert alone.code == 0
    assert "2 processes never connected to each other" in alone.warning
    assert of(ended(0, alone=True), ended(1), launcher=0).warning == "", "one was seen connected"
    assert of(ended(0, alone=True), launcher=0).warning == "", "a single rank has no other"


def test_fewer_ranks_than_asked_for_are_warned_about() -> None:
    verdict = judge({0: ended(0), 1: ended(1)}, {}, expected=4, launcher=0)
    assert (verdict.code, verdict.culprit) == (0, None)
    assert "only 2 of 4 processes were started" in verdict.warning


def test_one_that_asks_to_be_continued_speaks_for_all() -> None:
    assert of(ended(0, 75), ended(1)).code == 75


def test_a_signal_after_finish_is_no_failure() -> None:
    assert of(ended(0), ended(1, signal=signal.SIGABRT, finished=True)).code == 0
    assert of(ended(0), ended(1, signal=signal.SIGABRT)).code == 134


TEARDOWN = ("terminate called without an active exception",)


def test_an_abort_as_libraries_shut_down_is_no_failure_if_all_others_finished() -> None:
    aborted = ended(3, signal=signal.SIGABRT, lines=TEARDOWN)
    verdict = of(ended(0), ended(1), ended(2), aborted)
    assert (verdict.code, verdict.culprit) == (0, None)
    assert "rank 3 was aborted by its libraries" in verdict.note
    assert of(ended(0, 75), ended(1), ended(2), aborted).code == 75
    for others in ([ended(0, 1, lines=LOST_PEER)], [ended(0, signal=15, was_asked=True)], []):
        failed = of(*others, aborted, expected=len(others) + 1)
        assert failed.code == 134 or failed.culprit is not None
    spoken = ended(3, signal=signal.SIGABRT, lines=("Fatal Python error: Aborted", *TEARDOWN, "x"))
    assert of(ended(0), ended(1), ended(2), spoken).code == 134


def test_the_first_to_fail_is_the_culprit() -> None:
    verdict = of(
        ended(0, 1, at=11.0), ended(1, 3, at=10.0, lines=("ValueError: bad",)), ended(2, 1, at=12.0)
    )
    assert verdict.code == 3
    assert verdict.culprit
    assert verdict.culprit.message == (
        "rank 1 on n1 ended with exit code 3; the 2 others were ended. Its last lines:\nValueError: bad"
    )
    assert not verdict.culprit.blames_node


def test_a_rank_that_lost_its_peer_is_not_blamed_even_if_its_exit_file_is_older() -> None:
    verdict = of(ended(0, 1, at=9.0, lines=LOST_PEER), ended(1, 1, at=10.0, lines=("KeyError: 3",)))
    assert verdict.culprit
    assert verdict.culprit.rank == 1


BROKEN_PIPE = "[W1118 socket.cpp:464] sendBytes failed on SocketImpl(fd=3): Broken pipe"


def test_a_rank_killed_by_the_launcher_does_not_hide_the_one_that_failed() -> None:
    """Its program may end by TERM before its shim hears of it, and libraries complain after the exception."""
    failed = ended(2, 1, at=10.0, lines=("[rank2]: ValueError: bad data", BROKEN_PIPE))
    others = [ended(rank, signal=signal.SIGTERM, at=at) for rank, at in ((0, 9.0), (3, 10.5))]
    verdict = of(others[0], ended(1, 1, at=9.0, lines=LOST_PEER), failed, others[1])
    assert verdict.culprit and verdict.culprit.rank == 2
    assert "ValueError: bad data" in verdict.culprit.message
    assert verdict.code == 1


def test_a_rank_that_failed_and_was_asked_to_end_while_it_shut_down_is_named() -> None:
    failed = ended(2, 1, was_asked=True, at=12.0, lines=("ValueError: bad data", BROKEN_PIPE))
    lost = ended(0, 1, at=11.0, lines=LOST_PEER)
    for others in ([lost], [ended(0, signal=signal.SIGTERM)], [ended(0, 0)]):
        verdict = of(*others, failed, expected=2)
        assert verdict.culprit and verdict.culprit.rank == 2
    stopped = ended(1, 1, was_asked=True, lines=("lightning.SIGTERMException",))
    verdict = of(lost, stopped)
    assert verdict.culprit and verdict.culprit.rank == 0
    assert of(failed, ended(0), asked=True).culprit is None, "a cancel is nobody's doing"


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
    assert "because memory ran out" in verdict.culprit.message
    assert not verdict.culprit.blames_node


def test_ranks_that_were_told_to_end_are_not_to_blame() -> None:
    verdict = of(ended(0, signal=signal.SIGTERM, was_asked=True), ended(1, was_asked=True))
    assert (verdict.code, verdict.culprit) == (143, None)


def test_a_rank_without_a_last_word_is_named() -> None:
    verdict = of(ended(0), expected=2, launcher=137)
    assert verdict.culprit
    assert verdict.culprit.rank == 1
    assert "disappeared" in verdict.culprit.message
    assert verdict.code == 137


def test_a_rank_that_vanished_is_named_though_the_others_were_told_to_end() -> None:
    others = [ended(rank, signal=signal.SIGTERM, was_asked=True) for rank in (0, 2)]
    verdict = of(*others, expected=3, launcher=143)
    assert verdict.culprit
    assert (verdict.culprit.rank, verdict.culprit.blames_node) == (1, True)


def test_a_rank_that_vanished_is_named_before_those_that_complain_of_it() -> None:
    verdict = of(ended(0, 1, lines=LOST_PEER), expected=2)
    assert verdict.culprit
    assert verdict.culprit.rank == 1
    verdict = of(ended(0, 1, lines=("KeyError: 3",)), expected=2)
    assert verdict.culprit
    assert verdict.culprit.rank == 0


def test_nobody_is_blamed_for_an_end_that_was_asked_for() -> None:
    told = ended(0, signal=signal.SIGTERM, was_asked=True)
    assert of(told, expected=2, launcher=137, asked=True) == Verdict(143)
    assert of(ended(0), expected=2, launcher=137, asked=True) == Verdict(143)


@pytest.mark.parametrize(
    "said",
    [
        "slurmstepd: error: Detected 1 oom_kill event in StepId=7.0. Some of the step tasks have been OOM Killed.",
        "srun: error: n1: task 1: Out Of Memory",
    ],
)
@pytest.mark.parametrize("how", [{"signal": 9}, {"code": 137}])
def test_a_kill_for_lack_of_memory_is_known_by_the_batch_systems_report(
    said: str, how: dict[str, int]
) -> None:
    assert Srun().reports_memory_kill(said)
    verdict = of(ended(0), ended(1, **how), memory_killed=True)
    assert verdict.culprit
    assert (verdict.culprit.rank, verdict.culprit.reason) == (1, "out-of-memory")
    assert not verdict.culprit.blames_node
    vanished = of(ended(0), expected=2, memory_killed=True).culprit
    assert vanished
    assert (vanished.reason, vanished.blames_node) == ("out-of-memory", False)


def test_a_program_that_writes_of_such_kills_is_not_believed() -> None:
    assert not Srun().reports_memory_kill("we had an oom_kill: out of memory")
    verdict = of(ended(0), ended(1, signal=9))
    assert verdict.culprit
    assert verdict.culprit.reason == "signal"


def test_a_kill_for_lack_of_memory_is_known_by_the_ranks_own_file() -> None:
    verdict = of(ended(0), ended(1, signal=9, memory=True))
    assert verdict.culprit
    assert (verdict.culprit.reason, verdict.culprit.blames_node) == ("out-of-memory", False)
    assert "killed by signal 9 (SIGKILL) because memory ran out" in verdict.culprit.message


def test_a_launcher_that_started_nothing_speaks_for_itself() -> None:
    assert judge({}, {}, expected=4, launcher=2).code == 2


def test_a_launcher_that_ends_well_is_not_believed_about_a_rank_that_never_ended() -> None:
    verdict = of(ended(0), expected=2, launcher=0)
    assert verdict.code == 137
    assert verdict.culprit
    assert verdict.culprit.rank == 1


def test_a_launcher_that_starts_fewer_ranks_and_ends_well_is_believed() -> None:
    assert judge({0: ended(0)}, {}, expected=2, launcher=0).code == 0


def test_a_launcher_that_fails_before_all_have_begun_says_so() -> None:
    verdict = judge({0: ended(0)}, {}, expected=2, launcher=3)
    assert verdict.culprit
    assert "before every rank had started" in verdict.culprit.message


def test_the_order_of_ends_is_the_file_systems_and_not_that_of_the_nodes_clocks(
    tmp_path: Path,
) -> None:
    files = RankFiles(tmp_path)
    files.folder.mkdir()
    for rank, own_clock in ((0, 500.0), (1, 9000.0)):
        (files.folder / f"{rank}.exit").write_text(f"1 0 {own_clock} own\n")
    os.utime(files.folder / "0.exit", (7000, 7000))
    os.utime(files.folder / "1.exit", (6999, 6999))
    verdict = judge(files.endings(), {}, expected=2, launcher=1)
    assert verdict.culprit
    assert verdict.culprit.rank == 1


def test_an_exit_file_without_text_still_counts_as_an_end(tmp_path: Path) -> None:
    files = RankFiles(tmp_path)
    files.folder.mkdir()
    for rank in range(3):
        files.write_start(rank, "n")
    files.write_exit(0, 0, 0, was_asked=False)
    (files.folder / "1.exit").touch()
    assert list(files.unended()) == [2]
