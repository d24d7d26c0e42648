"""The agent with the real local scheduler and a service on a real socket."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.agents import AgentProcess
from support.sync_service import SyncService, eventually


@pytest.fixture
def service() -> Iterator[SyncService]:
    service = SyncService()
    yield service
    service.stop()


@pytest.fixture
def agent(tmp_path: Path, service: SyncService) -> Iterator[AgentProcess]:
    agent = AgentProcess(tmp_path, service)
    agent.start()
    yield agent
    agent.stop()


def test_a_command_runs_and_its_output_comes_home(agent: AgentProcess, service: SyncService) -> None:
    task = service.submit({"command": "echo hello; echo trouble >&2"})
    assert service.until(task.id, "succeeded").exit_code == 0
    assert eventually(lambda: service.text(task.id)) == "hello\n"
    assert eventually(lambda: service.text(task.id, "stderr")) == "trouble\n"
