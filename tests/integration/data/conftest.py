"""Two real agents and one service."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.service import RunningService, running_service
from support.tree_scene import DataMachine, TreeScene, data_machine


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with running_service(tmp_path_factory.mktemp("home")) as running:
        yield running


@pytest.fixture(scope="session")
def scene(service: RunningService) -> TreeScene:
    return TreeScene(service)


@pytest.fixture(scope="session")
def alpha(
    service: RunningService, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[DataMachine]:
    with data_machine(service, "alpha", tmp_path_factory.mktemp("alpha")) as machine:
        yield machine


@pytest.fixture(scope="session")
def beta(
    service: RunningService, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[DataMachine]:
    with data_machine(service, "beta", tmp_path_factory.mktemp("beta")) as machine:
        yield machine
