"""A correction has the form of the fact it corrects, or is refused with that form."""

from __future__ import annotations

from typing import Any

import pytest

from diamond.compose import EndpointFacts, check
from diamond.compose.profile_facts import check_corrections, check_facts
from diamond.core.errors import BadRequest


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("flags", {"mem": "refuses", "gres": "requires"}),
        ("cores", 8),
        ("gpus", {"a100": 4}),
        ("gpus", {}),
        ("modules", ["module load python"]),
        ("charge", {"debug": 1, "gpu": 2.5}),
        ("folders", {"work": {"path": "/scratch/me", "purge_days": 30, "free_bytes": 1}}),
        ("partitions", [{"name": "debug", "max_minutes": None, "of_tomorrow": 1}]),
        ("internet", {"login": True, "compute": None}),
        ("memory_mb", None),
        ("write_mb_per_second", 200),
    ],
)
def test_a_correction_in_its_form_is_taken(name: str, value: Any) -> None:
    check_corrections({name: value})


@pytest.mark.parametrize(
    ("name", "value", "words", "hint"),
    [
        ("flgs", {"mem": "takes"}, "no fact 'flgs'", "Did you mean flags? Facts: accelerator, "),
        ("flags", {"mem": "no"}, "flags.mem is 'no'", "takes, refuses or requires"),
        ("flags", {"mme": "takes"}, "flags.mme is unknown", "mem, gres"),
        ("build", {"runtme": "podman"}, "build.runtme is unknown", "build.runtime=podman"),
        ("build", {"runtime": "dockr"}, "build.runtime is 'dockr'", "build.runtime=podman"),
        ("cores", "eight", "cores is 'eight'", "a number"),
        ("partitions", 5, "partitions is 5", '[{"name": "debug"'),
        ("partitions", [{"nam": "x"}], "partitions.0.name is missing", '[{"name": "debug"'),
        ("write_mb_per_second", 0, "write_mb_per_second is 0", "megabytes per second"),
        ("gpus", 4, "gpus is 4", '{"a100": 4}'),
    ],
)
def test_another_form_is_answered_with_the_right_one(
    name: str, value: Any, words: str, hint: str
) -> None:
    with pytest.raises(BadRequest) as caught:
        check_corrections({name: value})
    assert words in caught.value.message and hint in caught.value.hint


def test_an_imported_profile_is_checked_too_but_may_say_more() -> None:
    check_facts({"of_tomorrow": {"value": 1}, "cores": {"value": 2}})
    for odd in (5, {"worth": 2}, {"value": "two"}):
        with pytest.raises(BadRequest):
            check_facts({"cores": odd})


@pytest.mark.parametrize("odd", [5, "x", [5], [{"nam": 1}], {"a": 1}, [{"name": "p", "qos": 3}]])
@pytest.mark.parametrize(
    "name", ["partitions", "accounts", "scheduler", "gpus", "cores", "memory_mb", "qos"]
)
def test_an_odd_profile_never_breaks_the_check_of_a_spec(name: str, odd: Any) -> None:
    endpoint = EndpointFacts("alpha", "online", True, {name: odd})
    spec = {"run": "x", "resources": {"gpus_per_node": 1}, "qos": "q"}
    assert check(spec, endpoints=[endpoint], code=None).endpoint == "alpha"
