"""128 light ranks on 8 nodes: all start, one dies, and it is named right."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from diamond.testing.lab import Lab
from support.launching import launch
from support.slurm import open_folder, skip_without_lab_support
from support.stack import Stack, running_stack
from support.waiting import wait_for

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]
MINUTES = 600.0


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A cluster of 8 nodes with 16 cores each, or so they say."""
    skip_without_lab_support()
    with open_folder() as folder:
        lab = Lab.up(folder, clusters="gamma", nodes=8, cpus=16, gpus="0", accounting=False)
        with running_stack(lab.cluster("gamma"), tmp_path_factory.mktemp("wide")) as stack:
            yield stack


def test_128_ranks_start_and_end_well(wide: Stack) -> None:
    task = launch(wide, 'echo "$RANK $SLURMD_NODENAME" >"place.$RANK"', nodes=8, tasks=16)
    wide.until(task, "succeeded", seconds=MINUTES)
    places = dict(file.read_text().split() for file in wide.run_dir(task).glob("place.*"))
    assert sorted(map(int, places)) == list(range(128))
    assert all(node == f"gamma-n{int(rank) // 16 + 1}" for rank, node in places.items())


@pytest.mark.parametrize("rank", [0, 77, 127])
def test_the_one_of_128_that_dies_is_named(wide: Stack, rank: int) -> None:
    program = (
        f'touch "ready.$RANK"; if [ "$RANK" = {rank} ]; then until [ -e go ]; do sleep 0.1; done; kill -9 $$; fi\n'
        "until [ -e never ]; do sleep 1; done"
    )
    task = launch(wide, program, nodes=8, tasks=16)
    ready = wide.run_dir(task)
    wait_for(lambda: len(list(ready.glob("ready.*"))) == 128, MINUTES, what="all ranks")
    wide.go(task)
    ended = wide.until(task, "failed", seconds=MINUTES)
    words = rf"rank {rank} on gamma-n{rank // 16 + 1} was killed by signal 9 \(SIGKILL\); the 127 others were ended"
    assert re.match(words, ended["message"])
