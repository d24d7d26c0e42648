"""The replay of job logs: the ways of queueing are told apart, and the planner sees nothing that is still to come."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from bench.__main__ import read_words
from bench.best import MOMENTS, least_gap
from bench.claim import Options
from bench.claims.planning import measure
from bench.replay import Queue, planned, when_it_ends, when_it_starts
from bench.swf import read_log

from diamond.planning.followup import Manners, may_idle
from diamond.planning.waits import PastWait

HOUR = 3600.0
HEAD = "; Installation: A machine\n; Acknowledge: Somebody\n"
MANNERS = Manners(hand_over_seconds=120, most_waiting=12)


def steady(waited: float, count: int = 400) -> Queue:
    """Jobs of one hour, submitted every half hour, that all wait the same."""
    return Queue([PastWait(n * HOUR / 2, waited, 4, HOUR) for n in range(count)], HOUR)


def write_log(path: Path, waits: list[float]) -> None:
    lines = [
        f"{n} {n * 1800} {waited:.0f} 3500 4 -1 -1 4 3600 -1 1 1 1 -1 7 -1 -1 -1"
        for n, waited in enumerate(waits)
    ]
    path.write_bytes(gzip.compress((HEAD + "\n".join(lines) + "\n").encode()))


def test_queueing_at_the_end_pays_every_wait_as_a_gap() -> None:
    outcome = when_it_ends(steady(2 * HOUR), 0)
    assert (outcome.gap, outcome.idle, outcome.attempts) == (18 * HOUR, 0, 10)


def test_queueing_at_the_start_idles_what_the_wait_is_shorter_than_the_limit() -> None:
    """Every second attempt comes 45 minutes early, so that 15 are left for its program."""
    outcome = when_it_starts(steady(HOUR / 4), 0)
    assert (outcome.gap, outcome.idle, outcome.attempts) == (0, 8 * 0.75 * HOUR, 16)
    assert when_it_starts(steady(3 * HOUR), 0).gap == 18 * HOUR


@pytest.mark.parametrize("waited", [0.25, 2, 6], ids=["short", "long", "longer"])
def test_the_planner_keeps_its_rhythm_where_waits_do_not_change(waited: float) -> None:
    queue = steady(waited * HOUR)
    outcome = planned(queue, 0, lambda has_started: MANNERS)
    assert outcome.gap <= 0.3 * when_it_ends(queue, 0).gap
    assert outcome.idle <= outcome.attempts * may_idle(HOUR, MANNERS)


def test_the_planner_knows_only_jobs_that_started_before() -> None:
    queue = Queue([PastWait(0, 100, 4, HOUR), PastWait(50, 5000, 4, HOUR)], HOUR)
    assert queue.forecast(100).samples == 0
    assert queue.forecast(101).samples == 1
    assert queue.forecast(5051).samples == 2


def test_the_wait_is_that_of_the_job_nearest_in_submit_time() -> None:
    queue = Queue([PastWait(0, 1, 4, HOUR), PastWait(100, 2, 4, HOUR)], HOUR)
    assert [queue.wait(now) for now in (-5, 40, 60, 500)] == [1, 1, 2, 2]


@pytest.mark.parametrize("waited", [0.0, 0.5, 1.0])
def test_one_follow_up_leaves_no_gap_where_no_wait_is_longer_than_the_limit(waited: float) -> None:
    assert least_gap(steady(waited * HOUR), 0) == pytest.approx(0, abs=9 * HOUR / MOMENTS)


def test_one_follow_up_leaves_at_best_what_each_wait_is_longer_than_the_limit() -> None:
    """Only nine of the ten starts follow another one."""
    assert least_gap(steady(3 * HOUR), 0) == pytest.approx(9 * 2 * HOUR)


def test_one_follow_up_at_best_waits_for_the_moment_from_which_jobs_start_at_once() -> None:
    """At an hour and a half the program stops; from two hours on nobody waits."""
    jobs = [PastWait(n * HOUR / 2, 100 * HOUR if n < 4 else 0, 4, HOUR) for n in range(-1, 60)]
    begin_at_once = PastWait(-HOUR, 1.5 * HOUR, 4, HOUR)
    gap = least_gap(Queue([begin_at_once, *jobs], HOUR), -HOUR)
    assert gap == pytest.approx(0.25 * HOUR, abs=HOUR / MOMENTS)


def test_a_log_without_jobs_of_the_wanted_size_and_limit_is_passed_over(tmp_path: Path) -> None:
    small = ["0 0 5 60 1 -1 -1 1 60 -1 1 1 1 -1 7 -1 -1 -1"] * 8
    wide = ["0 9 5 60 64 -1 -1 64 60 -1 1 1 1 -1 7 -1 -1 -1"] * 2
    long = ["0 9 5 60 1 -1 -1 1 86400 -1 1 1 1 -1 7 -1 -1 -1"] * 2
    (tmp_path / "odd.swf").write_text(HEAD + "\n".join([*small, *wide, *long]) + "\n")
    findings = measure(Options(tmp_path, tmp_path, count=2, logs=tmp_path))
    assert any("no job of the log is like that" in note for note in findings.notes)


def test_a_log_is_read_with_its_thanks_and_without_jobs_that_never_started(tmp_path: Path) -> None:
    write_log(tmp_path / "small.swf.gz", [60, -1, 120])
    log = read_log(tmp_path / "small.swf.gz")
    assert (log.name, log.thanks) == ("small", "A machine, Somebody")
    assert [job.waited for job in log.jobs] == [60, 120]
    assert log.jobs[0] == PastWait(0, 60, 4, 3600, "7")


def test_a_folder_of_logs_is_judged_by_its_bars(tmp_path: Path) -> None:
    write_log(tmp_path / "calm.swf.gz", [HOUR / 2] * 400)
    findings = measure(Options(tmp_path, tmp_path, count=5, logs=tmp_path))
    judged = [row for row in findings.rows if row.bar]
    assert len(judged) == 4 and all(row.holds for row in judged)
    assert any("CPU machines" in note for note in findings.notes)


def test_without_a_folder_nothing_is_claimed(tmp_path: Path) -> None:
    findings = measure(Options(tmp_path, tmp_path))
    assert not findings.rows and "Not measured" in findings.notes[0]


def test_a_job_that_was_cancelled_before_it_ran_tells_no_wait(tmp_path: Path) -> None:
    lines = [
        "1 0 60 3500 4 -1 -1 4 3600 -1 1 1 1 -1 7 -1 -1 -1",
        "2 9 900 0 -1 -1 -1 4 3600 -1 5 1 1 -1 7 -1 -1 -1",
    ]
    (tmp_path / "two.swf").write_text(HEAD + "\n".join(lines) + "\n")
    assert [job.waited for job in read_log(tmp_path / "two.swf").jobs] == [60]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["plannig"], "plannig is no claim and no folder"),
        (["planning", "{empty}"], "no file there ends with .swf or .swf.gz"),
    ],
)
def test_a_wrong_name_or_folder_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    with pytest.raises(SystemExit):
        read_words([word.format(empty=tmp_path) for word in words])
    assert told in capsys.readouterr().err


def test_a_claim_goes_before_a_folder_of_the_same_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "planning").mkdir()
    monkeypatch.chdir(tmp_path)
    found = read_words(["planning"])
    assert (found.names, found.logs) == (["planning"], None)
