"""Real agents of several Unix accounts, and one service for them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.containers import alices_folder, busybox, skip_without
from support.image_machines import Machine, machine
from support.service import RunningService, running_service


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with running_service(tmp_path_factory.mktemp("home")) as running:
        yield running


@pytest.fixture(scope="session")
def folder() -> Iterator[Path]:
    """With a base of two megabytes in it."""
    skip_without("apptainer")
    with alices_folder() as found:
        busybox(found)
        yield found


@pytest.fixture(scope="session")
def alpha(service: RunningService, folder: Path) -> Iterator[Machine]:
    with machine(service, "alpha", "alice", folder) as made:
        yield made


@pytest.fixture(scope="session")
def beta(service: RunningService, folder: Path) -> Iterator[Machine]:
    """Another account: it cannot read what alpha's has."""
    with machine(service, "beta", "bob", folder) as made:
        yield made
