"""What root's file bounds beyond single jobs, and when an agent that nobody needs ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from diamond.agent.guard.bounds import SubmissionBounds
from diamond.agent.guard.policy import Policy
from diamond.agent.site.resting import SHORT_SECONDS, Resting
from support.agent_chain import Chain

HOUR = 3600.0


class Clock:
    now = 1e9

    def __call__(self) -> float:
        return self.now


def policy(tmp_path: Path, site: str, own: str = "") -> Policy:
    keep, file = tmp_path / "keep", tmp_path / "site.toml"
    keep.mkdir(exist_ok=True)
    file.write_text(site)
    file.chmod(0o644)
    if own:
        (keep / "policy.toml").write_text(own)
    return Policy(keep, file)


def bounds(tmp_path: Path, clock: Clock, site: str, own: str = "") -> SubmissionBounds:
    return SubmissionBounds(tmp_path / "keep", policy(tmp_path, site, own), clock)


def test_jobs_that_wait_count_and_the_message_names_the_line(tmp_path: Path) -> None:
    mine = bounds(tmp_path, Clock(), "max_queued = 3", own="max_queued = 2")
    assert mine.why_full(1) == ""
    why = mine.why_full(2)
    assert "2 jobs waiting" in why and "max_queued in" in why and "policy.toml" in why


def test_submissions_of_the_last_hour_count_also_after_a_restart(tmp_path: Path) -> None:
    clock = Clock()
    first = bounds(tmp_path, clock, "submits_per_hour = 2")
    first.count_submitted()
    clock.now += 1800
    first.count_submitted()
    second = bounds(tmp_path, clock, "submits_per_hour = 2")
    assert "submit 2 jobs in an hour" in second.why_full(0)
    clock.now += 1801
    assert second.why_full(0) == ""


def test_follow_ups_are_queued_ahead_while_they_may_still_be_withdrawn(tmp_path: Path) -> None:
    clock = Clock()
    mine = bounds(tmp_path, clock, "withdrawn_per_day = 2")
    mine.count_withdrawn()
    assert mine.may_queue_ahead(0) and not mine.may_queue_ahead(1)
    clock.now += 86401
    assert mine.may_queue_ahead(1)


def test_where_nothing_is_bounded_nothing_is_written(tmp_path: Path) -> None:
    mine = bounds(tmp_path, Clock(), "max_nodes = 3")
    mine.count_submitted()
    assert mine.why_full(10**6) == "" and mine.may_queue_ahead(10**6)
    assert not (tmp_path / "keep" / "submissions.log").exists()


def test_a_chain_at_its_bound_queues_no_follow_up_ahead(tmp_path: Path) -> None:
    for name, site, expected in (
        ("free", "max_nodes = 9", 2),
        ("bound", "withdrawn_per_day = 0", 1),
    ):
        place = tmp_path / name
        place.mkdir()
        chain = Chain(place)
        chain.has_queue()
        chain.attempts._bounds = bounds(place, Clock(), site)
        chain.runs(1)
        chain.attempts.chains.look()
        assert len(chain.tasks.attempts("t1")) == expected, name


@pytest.mark.parametrize(
    ("site", "own", "hours"),
    [
        ("max_nodes = 1", "", 12.0),
        ("idle_hours = 3", "", 3.0),
        ("idle_hours = 0", "", 0.0),
        ("idle_hours = 3", "idle_hours = 0", 3.0),
        ("idle_hours = 3", "idle_hours = 1", 1.0),
    ],
)
def test_the_shorter_idle_time_counts(tmp_path: Path, site: str, own: str, hours: float) -> None:
    assert policy(tmp_path, site, own).idle_hours == hours


def test_an_agent_without_work_ends_after_its_hours_and_then_looks_in_shortly(
    tmp_path: Path,
) -> None:
    clock = Clock()
    first = Resting(tmp_path, lambda: 12.0, by_table=False, clock=clock)
    clock.now += 12 * HOUR - 1
    assert not first.is_over()
    first.needed()
    clock.now += 12 * HOUR
    assert first.is_over()
    by_cron = Resting(tmp_path, lambda: 12.0, by_table=True, clock=clock)
    clock.now += SHORT_SECONDS
    assert by_cron.is_over()
    woken = Resting(tmp_path, lambda: 12.0, by_table=True, clock=clock)
    woken.needed()
    clock.now += 11 * HOUR
    assert not woken.is_over()


def test_one_that_a_person_starts_stays_for_its_hours(tmp_path: Path) -> None:
    clock = Clock()
    (tmp_path / "resting").touch()
    by_hand = Resting(tmp_path, lambda: 12.0, by_table=False, clock=clock)
    clock.now += HOUR
    assert not by_hand.is_over() and not (tmp_path / "resting").exists()
    never = Resting(tmp_path, lambda: 0.0, by_table=False, clock=clock)
    clock.now += 999 * HOUR
    assert not never.is_over()
