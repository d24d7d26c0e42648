from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from diamond.core.native import NativeStatus
from diamond.schedulers.slurm_parsing import (
    exit_of,
    minutes,
    read_job_id,
    read_sacct,
    read_squeue,
    read_time,
)

RECORDED = Path(__file__).parent / "recorded"
WRITTEN = Path(__file__).parent / "written"
VERSIONS = ["20.11", "22.05", "24.11", "26.05"]
ALIKE = ["like-20.11", "like-21.08", "like-23.11", "like-24.05", "like-25.05"]
FIRST = {"20.11": 2, "24.11": 1, "26.05": 1}
"""The number of the first job of record_slurm.py there."""

ENDED = ("", "exit-code", "signal", "out-of-memory", "wall-time", "by-site")
"""How the first jobs of record_slurm.py ended, in their order."""
QUEUED = {
    "like-20.11": {
        "1001": ("queued", ""),
        "1002": ("running", ""),
        "1003": ("completing", ""),
        "1004": ("ended", ""),
        "1005": ("ended", "exit-code"),
        "1006": ("ended", "wall-time"),
        "1007": ("ended", "out-of-memory"),
        "1008_[3-5]": ("queued", ""),
        "1008_2": ("running", ""),
        "1009": ("ended", "preempted"),
    },
    "like-21.08": {
        "2001": ("queued", ""),
        "2002": ("queued", ""),
        "2003": ("queued", ""),
        "2004": ("completing", ""),
        "2005": ("suspended", ""),
        "2006": ("suspended", ""),
        "2007": ("queued", ""),
        "2008": ("queued", ""),
        "2009": ("ended", "by-site"),
        "2010": ("ended", "node-lost"),
    },
    "22.05": {
        "36": ("ended", ""),
        "37": ("ended", "exit-code"),
        "38": ("ended", "signal"),
        "39": ("ended", "signal"),
        "40": ("ended", "disk"),
        "41": ("ended", ""),
        "42": ("ended", "by-site"),
        "43": ("ended", "wall-time"),
        "44": ("running", ""),
        "45": ("ended", "by-site"),
        "46": ("ended", "by-site"),
        "47_[3-5]": ("ended", "by-site"),
        "48": ("queued", ""),
        "49": ("queued", ""),
        "50": ("ended", ""),
        "51": ("queued", ""),
        "52": ("running", ""),
        "53": ("ended", "node-lost"),
        "54": ("queued", ""),
        "55": ("suspended", ""),
        "56": ("queued", ""),
    },
    "like-23.11": {
        "3001": ("queued", ""),
        "3002": ("queued", ""),
        "3003": ("queued", ""),
        "3004": ("queued", ""),
        "3005": ("queued", ""),
        "3006": ("ended", "deadline"),
        "3007": ("ended", "node-lost"),
        "3008": ("running", ""),
    },
    "like-24.05": {
        "4001": ("running", ""),
        "4002": ("ended", "by-site"),
        "4003": ("ended", "node-lost"),
        "4004": ("ended", "node-lost"),
        "4005": ("queued", ""),
        "4006": ("queued", ""),
        "4007": ("queued", ""),
        "4008": ("ended", "exit-code"),
        "4009": ("queued", ""),
    },
    "like-25.05": {
        "5001": ("queued", ""),
        "5002": ("queued", ""),
        "5003": ("unknown", ""),
        "5004": ("queued", ""),
        "5005+0": ("running", ""),
        "5006": ("completing", ""),
        "5007": ("ended", ""),
        "5008": ("queued", ""),
    },
}

ACCOUNTED = {
    "like-20.11": {
        "1004": "",
        "1005": "exit-code",
        "1006": "wall-time",
        "1007": "out-of-memory",
        "1009": "preempted",
        "1010": "by-site",
        "1011": "by-site",
        "1012": "node-lost",
    },
    "like-21.08": {"2009": "by-site", "2010": "node-lost", "2011_4": ""},
    "22.05": {
        "36": "",
        "37": "exit-code",
        "38": "signal",
        "39": "signal",
        "40": "disk",
        "41": "",
        "42": "by-site",
        "43": "wall-time",
        "45": "by-site",
        "46": "by-site",
        "47_[3-5]": "by-site",
        "50": "",
        "53": "node-lost",
    },
    "like-23.11": {
        "3006": "deadline",
        "3007": "node-lost",
        "3009": "out-of-memory",
        "3010": "disk",
    },
    "like-24.05": {"4002": "by-site", "4008": "exit-code", "4010": "by-site", "4011": "preempted"},
    "like-25.05": {"5007": "", "5009": "wall-time", "5010": "node-lost"},
}


for _version, _first in FIRST.items():
    _jobs = {str(_first + place): reason for place, reason in enumerate(ENDED)}
    _waiting = (str(_first + 7), f"{_first + 8}_[3-5]", str(_first + 9), str(_first + 10))
    ACCOUNTED[_version] = _jobs
    QUEUED[_version] = {
        **{job: ("ended", reason) for job, reason in _jobs.items()},
        str(_first + 6): ("running", ""),
        **dict.fromkeys(_waiting, ("queued", "")),
    }


def answers(version: str, name: str) -> str:
    folder = WRITTEN if version in ALIKE else RECORDED
    return (folder / version / f"{name}.txt").read_text()


def squeue(version: str) -> dict[str, NativeStatus]:
    return read_squeue(answers(version, "squeue"))


def sacct(version: str) -> dict[str, NativeStatus]:
    return read_sacct(answers(version, "sacct"))


@pytest.mark.parametrize("version", [*VERSIONS, *ALIKE])
def test_squeue_of_every_version_is_understood(version: str) -> None:
    seen = {key: (status.status, status.reason) for key, status in squeue(version).items()}
    assert seen == QUEUED[version]


@pytest.mark.parametrize("version", [*VERSIONS, *ALIKE])
def test_sacct_of_every_version_is_understood(version: str) -> None:
    ended = {key: s.reason for key, s in sacct(version).items() if s.status == "ended"}
    assert ended == ACCOUNTED[version]


@pytest.mark.parametrize("version", FIRST)
def test_exit_codes_are_the_same_whichever_way_a_version_writes_them(version: str) -> None:
    """20.11 prints what `wait` returned (1792, 9, 253), later ones `7:0`, `0:9` and `0:125`."""
    for seen in (squeue(version), sacct(version)):
        code, killed, memory = (seen[str(FIRST[version] + place)] for place in (1, 2, 3))
        assert (code.exit_code, code.signal) == (7, None)
        assert killed.signal == 9
        assert memory.signal is None


def test_exit_codes_and_signals_are_told_apart() -> None:
    seen = squeue("22.05")
    assert (seen["37"].exit_code, seen["37"].signal) == (7, None)
    assert (seen["38"].exit_code, seen["38"].signal) == (0, 9)
    assert squeue("like-24.05")["4008"].exit_code == 137
    assert exit_of("0:125") == (0, None)
    assert exit_of("N/A") == (None, None)


def test_a_running_job_has_no_exit_code_yet() -> None:
    assert squeue("22.05")["44"].exit_code is None


@pytest.mark.parametrize(
    ("state", "said", "reason"),
    [
        ("COMPLETING", "TimeLimit", "wall-time"),
        ("TIMEOUT+COMPLETING", "None", "wall-time"),
        ("COMPLETING", "None", ""),
        ("COMPLETING", "NonZeroExitCode", ""),
    ],
)
def test_a_time_limit_is_known_while_slurm_still_clears_up(
    state: str, said: str, reason: str
) -> None:
    row = f"7|{state}|15|0|2026-01-02T03:04:05|{said}|n1|1:00|x"
    status = read_squeue(row)["7"]
    assert (status.status, status.reason) == ("completing", reason)


def test_a_name_with_bars_is_kept_whole() -> None:
    assert squeue("22.05")["41"].name == "odd|name with bar"
    assert sacct("like-25.05")["5007"].name == "ok|with bar"


def test_a_requeued_job_counts_its_restarts() -> None:
    assert squeue("22.05")["54"].restarts == 1
    assert squeue("like-21.08")["2007"].restarts == 2


def test_node_lists_are_kept_and_nothing_is_not_a_node() -> None:
    assert squeue("22.05")["44"].nodes == "alpha-n[1-2]"
    assert sacct("22.05")["45"].nodes == ""


def test_held_jobs_are_told_from_waiting_ones() -> None:
    assert squeue("22.05")["48"].held
    assert squeue("like-23.11")["3004"].held
    assert squeue("like-21.08")["2008"].held
    assert not squeue("22.05")["56"].held


def test_a_state_nobody_foresaw_is_kept_and_shown() -> None:
    seen = squeue("like-25.05")["5003"]
    assert (seen.status, seen.native_state) == ("unknown", "HIBERNATING")
    assert "HIBERNATING" in seen.message


def test_times_are_read_in_both_forms() -> None:
    local = "2021-03-04T05:06:07"
    assert read_time(local) == time.mktime(time.strptime(local, "%Y-%m-%dT%H:%M:%S"))
    assert read_time("1794806020") == 1794806020
    assert read_time("N/A") == read_time("Unknown") == read_time("") == 0


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("00:10:00", 10),
        ("1-00:00:00", 1440),
        ("1-12:00:00", 2160),
        ("7-00", 10080),
        ("30", 30),
        ("05:30", 5),
        ("UNLIMITED", None),
        ("INFINITE", None),
        ("N/A", None),
        ("NONE", None),
        ("INVALID", None),
        ("NOT_SET", None),
        ("", None),
        ("Partition_Limit", None),
    ],
)
def test_durations_of_all_forms_are_minutes(said: str, expected: int | None) -> None:
    assert minutes(said) == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("123\n", "123"),
        ("123;alpha\n", "123"),
        ("------\n Welcome to the supercomputer, version 3\n------\n123;alpha\n", "123"),
        ("123\nHave a nice day\n", "123"),
        ("", None),
        ("sbatch: no\n", None),
    ],
)
def test_the_job_id_is_found_among_a_sites_words(said: str, expected: str | None) -> None:
    assert read_job_id(said) == expected


def test_lines_that_are_no_jobs_are_passed_over() -> None:
    assert read_squeue("CLUSTER: alpha\nslurm_load_jobs: something\n\n") == {}
    assert read_sacct("SLURM is sorry|a|b|c|d|e|f\n") == {}


@given(st.text())
@example("²")
def test_no_output_is_ever_a_crash(said: str) -> None:
    read_squeue(said)
    read_sacct(said)
    read_job_id(said)
    minutes(said)
    read_time(said)


@given(st.lists(st.text(st.characters(blacklist_characters="|\n\r")), min_size=7, max_size=7))
def test_a_row_with_strange_fields_is_still_a_row(fields: list[str]) -> None:
    read_squeue("|".join(["7", *fields]))
