"""Kills for want of memory, as control groups of both versions tell of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from diamond.launchers.ranks.memory_kills import memory_kills

SECOND = "low 0\nhigh 3\noom 2\noom_kill 2\noom_group_kill 0\n"
FIRST = "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n"


@pytest.mark.parametrize(
    ("own", "file", "text", "kills"),
    [
        ("0::/slurm/job_7/step_0\n", "slurm/job_7/step_0/memory.events", SECOND, 2),
        (
            "5:cpu:/x\n4:memory:/slurm/job_7\n0::/\n",
            "memory/slurm/job_7/memory.oom_control",
            FIRST,
            1,
        ),
        ("4:memory:/docker/0815\n", "memory/memory.oom_control", FIRST, 1),
        ("0::/slurm/job_7\n", "elsewhere", SECOND, 0),
        ("0::/slurm/job_7\n", "slurm/job_7/memory.events", "oom_kill many\n", 0),
    ],
)
def test_they_are_counted_where_the_process_is(
    tmp_path: Path, own: str, file: str, text: str, kills: int
) -> None:
    groups = tmp_path / "cgroup"
    (groups / file).parent.mkdir(parents=True)
    (groups / file).write_text(text)
    (tmp_path / "own").write_text(own)
    assert memory_kills(groups, tmp_path / "own") == kills


def test_where_nothing_tells_there_are_none(tmp_path: Path) -> None:
    assert memory_kills(tmp_path, tmp_path / "nothing") == 0
