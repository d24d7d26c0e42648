"""A program that takes more memory than it asked for, on a cluster that kills it for that."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from diamond.testing.lab import Lab
from support.slurm import open_folder, skip_without_lab_support
from support.stack import Stack, running_stack

HUNGRY = (
    "echo begun\nexec python3 -c 'import time; held = bytearray(300 * 2**20); time.sleep(600)'\n"
)


@pytest.fixture
def watchful(tmp_path: Path) -> Iterator[Stack]:
    skip_without_lab_support()
    settings = ["JobAcctGatherParams=OverMemoryKill"]
    with open_folder() as folder:
        lab = Lab.up(folder, clusters="delta2", nodes=1, gpus="0", accounting=False, set=settings)
        with running_stack(lab.cluster("delta2"), tmp_path) as stack:
            yield stack


@pytest.mark.slow
def test_a_program_over_its_memory_is_told_as_such(watchful: Stack) -> None:
    task = watchful.submit(HUNGRY)
    ended = watchful.until(task, "failed")
    assert ended["reason"] == "out-of-memory"
    assert "memory" in ended["message"]
    watchful.check(task)
