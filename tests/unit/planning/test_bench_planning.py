"""The replay of job logs: the ways of queueing are told apart, and the planner sees nothing that is still to come."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from bench.__main__ import read_words
from bench.best import MOMENTS, least_gap
from bench.claim import Findings, Options
from bench.claims.planning import add_bar, measure
from bench.replay import Queue, planned, when_it_ends, when_it_starts
from bench.swf import logs_in, read_log

from diamond.planning.follow_ups import FollowUpPolicy, max_idle_seconds
from diamond.planning.waits import PastWait

HOUR = 3600.0
HEAD = "; Installation: A machine\n; Acknowledge: Somebody\n"
MANNERS = FollowUpPolicy(hand_over_seconds=120, most_waiting=12)


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
    assert outcome.idle <= outcome.attempts * max_idle_seconds(HOUR, MANNERS)


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
    assert any(row.measured == "no job of the log is like that" for row in findings.rows)


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
        (["plannig"], "plannig is neither a claim nor a folder"),
        (["planning", "{empty}"], "contains no file that ends with .swf or .swf.gz"),
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


def line(
    number: int = 1,
    submitted: float = 0,
    waited: float = 5,
    ran: float = 60,
    given: int = 4,
    asked: int = 4,
    limit: float = 3600,
    status: int = 1,
    queue: int = 7,
) -> str:
    return f"{number} {submitted} {waited} {ran} {given} -1 -1 {asked} {limit} -1 {status} 1 1 -1 {queue} -1 -1 -1"


def write_lines(folder: Path, *lines: str, name: str = "odd.swf") -> Path:
    path = folder / name
    path.write_text(HEAD + "\n".join(lines) + "\n")
    return path


def test_where_few_jobs_lack_a_limit_they_are_left_out(tmp_path: Path) -> None:
    log = read_log(write_lines(tmp_path, line(limit=600), line(limit=900), line(limit=-1, ran=9)))
    assert [job.limit_seconds for job in log.jobs] == [600, 900]
    assert log.remarks == ("1 jobs without a limit are left out",)


def test_where_most_jobs_lack_a_limit_the_run_time_of_each_stands_in(tmp_path: Path) -> None:
    lines = [line(limit=-1, ran=9), line(limit=-1, ran=0), line(limit=-1, ran=30), line(limit=600)]
    log = read_log(write_lines(tmp_path, *lines))
    assert [job.limit_seconds for job in log.jobs] == [9, 30, 60]
    assert "3 of 4 jobs have no limit" in log.remarks[0]


def test_the_processors_given_stand_in_where_none_were_asked_for(tmp_path: Path) -> None:
    log = read_log(write_lines(tmp_path, line(asked=-1, given=32), line(asked=0, given=-1)))
    assert [job.nodes for job in log.jobs] == [32]


def test_of_a_job_that_ran_in_parts_only_the_whole_counts(tmp_path: Path) -> None:
    parts = [line(1, waited=50), line(1, waited=50, status=2), line(1, waited=9, status=3)]
    lone = [line(2, waited=70, status=3), line(3, status=0), line(4, status=-1), line(5, status=5)]
    log = read_log(write_lines(tmp_path, *parts, *lone))
    assert [job.waited for job in log.jobs] == [50, 70, 5, 5, 5]


def test_what_is_no_job_is_passed_over_and_the_order_is_that_of_submission(tmp_path: Path) -> None:
    odd = ["", "  ; Note: indented", "7 8 9", line(waited=-1), line().replace(" 5 ", " x ", 1)]
    nameless = line(submitted=90, queue=-1)
    log = read_log(write_lines(tmp_path, *odd, nameless, line(submitted=30), line()[:25]))
    assert [job.submitted for job in log.jobs] == [30, 90]
    assert log.jobs[1].queue == "-1"


def test_comments_may_be_in_any_encoding(tmp_path: Path) -> None:
    path = tmp_path / "latin.swf"
    path.write_bytes("; Acknowledge: Åke\n".encode("latin-1") + line().encode() + b"\r\n")
    assert len(read_log(path).jobs) == 1


def test_a_log_that_is_cut_off_counts_as_far_as_it_can_be_read(tmp_path: Path) -> None:
    whole = gzip.compress("\n".join(line(n, submitted=n) for n in range(20_000)).encode())
    (tmp_path / "cut.swf.gz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "false.swf.gz").write_bytes(b"no gzip at all")
    cut, false = (read_log(path) for path in logs_in(tmp_path))
    assert 0 < len(cut.jobs) < 20_000 and "cannot be read to its end" in cut.remarks[0]
    assert not false.jobs and "cannot be read to its end" in false.remarks[0]


def test_logs_are_found_in_folders_below_and_among_other_files(tmp_path: Path) -> None:
    (tmp_path / "below" / "folder.swf").mkdir(parents=True)
    (tmp_path / "README.md").write_text("about the logs")
    write_lines(tmp_path, line(), name="A.SWF")
    write_lines(tmp_path / "below", line(), name="b.swf")
    assert [path.name for path in logs_in(tmp_path)] == ["A.SWF", "b.swf"]
    assert read_log(tmp_path / "A.SWF").name == "A"


def test_a_log_without_waits_is_told_and_judged_by_nothing(tmp_path: Path) -> None:
    write_lines(tmp_path, line(waited=-1), line(waited=-1))
    findings = measure(Options(tmp_path, tmp_path, count=2, logs=tmp_path))
    assert [row.holds for row in findings.rows] == [None, None]
    assert "no job has a wait" in findings.rows[0].measured


def test_where_nobody_waits_there_is_no_gap_to_be_a_share_of(tmp_path: Path) -> None:
    write_lines(tmp_path, *[line(n, submitted=n * 600, waited=0) for n in range(300)])
    rows = measure(Options(tmp_path, tmp_path, count=2, logs=tmp_path)).rows
    gap = next(row for row in rows if row.what.endswith("gap"))
    assert (gap.measured, gap.holds) == ("none, as by submit when it ends", True)


def test_a_gap_where_the_other_way_has_none_does_not_hold() -> None:
    findings = Findings()
    add_bar(findings, "gap", 600, 0, 0.4, "another way")
    assert findings.rows[0].measured == "10 min in all, where another way has none"
    assert findings.rows[0].holds is False


def test_few_like_jobs_and_chains_that_outlast_them_are_told(tmp_path: Path) -> None:
    write_lines(tmp_path, *[line(n, submitted=n * 600, limit=31_536_000) for n in range(20)])
    rows = measure(Options(tmp_path, tmp_path, count=2, logs=tmp_path)).rows
    told = next(row.measured for row in rows if row.what == "- jobs like that")
    assert told.startswith("20; half wait up to 5 s")
    assert "fewer than 59 tell little; chains outlast them" in told
