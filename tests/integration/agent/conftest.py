"""An agent process and a service for it to speak to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.agents import AgentProcess
from support.sync_service import SyncService


@pytest.fixture
def service() -> Iterator[SyncService]:
    service = SyncService()
    yield service
    service.stop()


@pytest.fixture
def endpoint(tmp_path: Path, service: SyncService) -> Iterator[AgentProcess]:
    """Not started yet."""
    endpoint = AgentProcess(tmp_path, service)
    yield endpoint
    endpoint.stop()
    endpoint.end_jobs()


@pytest.fixture
def agent(endpoint: AgentProcess) -> AgentProcess:
    endpoint.start()
    return endpoint
