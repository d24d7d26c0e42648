"""Which way data takes: by what is possible, what was measured, and what failed of late."""

from __future__ import annotations

from dataclasses import replace

from diamond.data.ways import (
    Copy,
    Ends,
    Reach,
    came_words,
    choose_way,
    measured_speeds,
    possible_ways,
    reaches_of,
)

GIGABYTE = 1_000_000_000
ALPHA = Copy("e1", "alpha", "files")
EVERYTHING = Ends(goal_knows_host=True, has_same_bucket=True, has_collections=True)


def test_everything_that_is_set_up_is_possible() -> None:
    assert possible_ways(EVERYTHING) == ("shared", "ssh", "s3", "globus", "service")
    assert possible_ways(Ends()) == ("shared", "service")


def test_between_two_people_only_storage_and_the_service_carry() -> None:
    assert possible_ways(replace(EVERYTHING, is_same_owner=False)) == ("s3", "service")


def test_restricted_data_does_not_pass_through_the_service() -> None:
    assert "service" not in possible_ways(replace(EVERYTHING, may_pass_service=False))
    old = replace(EVERYTHING, may_pass_service=False, know_ways=False)
    assert possible_ways(old) == ()
    way = choose_way([replace(ALPHA, reaches=())], "e2", "files", GIGABYTE)
    assert way.how == "" and "no other way leads there" in way.words


def test_settings_may_forbid_ways() -> None:
    assert possible_ways(replace(EVERYTHING, allowed=("ssh", "service"))) == ("ssh", "service")


def test_the_measured_way_beats_a_guess() -> None:
    speeds = measured_speeds([("service", GIGABYTE, 4.0), ("ssh", GIGABYTE, 20.0), ("s3", 5, 1.0)])
    assert speeds == {"service": 250e6, "ssh": 50e6}
    reaches = reaches_of(("ssh", "s3", "service"), speeds, {})
    way = choose_way([replace(ALPHA, reaches=reaches)], "e2", "files", 10 * GIGABYTE)
    assert way.ways == ("service", "s3", "ssh")
    assert way.words == (
        "copied from alpha through the service: 9.3 GB, about 41 s at 238.4 MB/s as measured before"
    )


def test_what_takes_long_to_begin_is_for_much_data() -> None:
    copy = replace(ALPHA, reaches=(Reach("globus", 500e6), Reach("service", 100e6)))
    assert choose_way([copy], "e2", "files", GIGABYTE).how == "service"
    assert choose_way([copy], "e2", "files", 100 * GIGABYTE).how == "globus"


def test_a_way_that_failed_is_passed_over_unless_it_is_the_only_one() -> None:
    assert [one.way for one in reaches_of(("ssh", "service"), {}, {"ssh": "no"})] == ["service"]
    assert [one.way for one in reaches_of(("ssh",), {}, {"ssh": "no"})] == ["ssh"]


def test_the_copy_that_is_here_soonest_is_the_source() -> None:
    slow = replace(ALPHA, reaches=(Reach("service", 10e6),))
    fast = Copy("e3", "gamma", "files", reaches=(Reach("ssh", 300e6),))
    assert choose_way([slow, fast], "e2", "files", GIGABYTE).source == "e3"
    away = replace(fast, is_online=False)
    assert choose_way([slow, away], "e2", "files", GIGABYTE).source == "e1"


def test_what_lies_there_does_not_move() -> None:
    assert choose_way([ALPHA], "e1", "files", 1).how == "here"
    assert choose_way([ALPHA], "e1", "archive", 1).how == "convert"


def test_a_policy_or_a_change_is_named() -> None:
    kept = choose_way([replace(ALPHA, may_leave=False)], "e2", "files", 1)
    assert "policy of alpha" in kept.words
    changed = choose_way([replace(ALPHA, is_unchanged=False)], "e2", "files", 1)
    assert "changed on alpha" in changed.words


def test_how_it_came_says_what_failed_before() -> None:
    words = came_words("alpha", "service", {"ssh": "Permission denied"})
    assert words == "copied from alpha through the service; not directly by ssh: Permission denied"
