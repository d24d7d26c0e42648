"""One service with one agent on a cluster of the session's lab."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from diamond.testing.lab import Lab
from support.stack import Stack, running_stack


@pytest.fixture(scope="session")
def stack(slurm_lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    cluster = slurm_lab.cluster("beta")
    with running_stack(cluster, tmp_path_factory.mktemp("launch")) as running:
        yield running
