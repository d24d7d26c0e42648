"""Where there is no container: the same build orders make virtual environments, locked with hashes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.agents import AgentProcess
from support.image_scene import image_of
from support.sync_service import SyncService, eventually
from support.wheels import write_wheel

NAME = "diamond_test_greeting"


@pytest.fixture
def agent(tmp_path: Path, service: SyncService) -> Iterator[AgentProcess]:
    """An endpoint whose pip knows nothing but one wheel folder."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    write_wheel(wheels, NAME, "1.0")
    taken = {name: "" for name in os.environ if name.startswith(("PIP_", "UV_"))}
    own = {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_INDEX": "true", "PIP_FIND_LINKS": str(wheels)}
    agent = AgentProcess(tmp_path, service, variables={**taken, **own})
    agent.start()
    yield agent
    agent.stop()
    agent.end_jobs()


def build(service: SyncService, **environment: Any) -> str:
    return service.submit({"build": {"environment": environment}}).id


def events(service: SyncService, task: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in service.text(task, "steps").splitlines()]


def test_a_virtual_environment_is_locked_built_and_run_in(
    agent: AgentProcess, service: SyncService
) -> None:
    wanted = {"requirements": [NAME], "commands": [f"python -m {NAME}"], "variables": {"A": "b c"}}
    service.bytes_seconds = 1.0
    task = build(service, **wanted)
    service.until(task, "succeeded")
    told = [one for one in events(service, task) if one["event"] == "image"]
    assert told, "who hears that a build succeeded may use its image"
    service.bytes_seconds = 0.0
    record = told[0]["record"]
    assert record["packages"]["python"] == {NAME: "1.0"}
    recipe = json.loads((agent.work / "tasks" / task / "run" / "recipe.json").read_text())
    assert f"{NAME}==1.0 \\\n    --hash=sha256:" in recipe["lock"].replace("-", "_", 2)
    assert str(agent.folder) not in recipe["lock"]
    run = service.submit({"command": f'python -m {NAME}; echo "$A"', "image": image_of(record)})
    service.until(run.id, "succeeded")
    assert eventually(lambda: service.text(run.id)) == f"{NAME} 1.0\nb c\n"


def test_packages_that_cannot_be_had_are_said_in_full(
    agent: AgentProcess, service: SyncService
) -> None:
    task = build(service, requirements=[f"{NAME}==1.0", f"{NAME}>=2"])
    service.until(task, "failed")
    refused = eventually(
        lambda: [one for one in events(service, task) if one["event"] == "refused"]
    )
    message = " ".join(refused[0]["message"].split())
    assert "we can conclude that your requirements are unsatisfiable" in message
    assert "cannot be installed together" in message
