"""A cluster of the session's lab, and one service with one agent that the tests kill and start again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from diamond.testing.lab import Cluster, Lab
from support.stack import Stack, running_stack


@pytest.fixture(scope="session")
def cluster(slurm_lab: Lab) -> Cluster:
    return slurm_lab.cluster("alpha")


@pytest.fixture(scope="session")
def shared_stack(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with running_stack(cluster, tmp_path_factory.mktemp("stack")) as running:
        yield running


@pytest.fixture
def stack(shared_stack: Stack) -> Stack:
    shared_stack.restart_what_died()
    return shared_stack
