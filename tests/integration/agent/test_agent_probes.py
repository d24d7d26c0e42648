"""The site profile reaches the service, with what a compute node shows when that was asked for."""

from __future__ import annotations

from typing import Any

from support.agents import AgentProcess
from support.sync_service import SyncService, eventually


def value(service: SyncService, name: str) -> Any:
    return (service.profile.get("facts") or {}).get(name, {}).get("value")


def test_a_new_agent_sends_its_profile_by_itself(agent: AgentProcess, service: SyncService) -> None:
    scheduler = eventually(lambda: value(service, "scheduler"))
    assert scheduler["name"] == "local"
    assert value(service, "folders")["work"]["path"] == str(agent.work)
    assert all({"value", "source", "at"} <= set(fact) for fact in service.profile["facts"].values())


def test_a_short_job_learns_what_compute_nodes_have(
    agent: AgentProcess, service: SyncService
) -> None:
    eventually(lambda: value(service, "python"))
    assert value(service, "python")["compute"] is None
    service.send("probe", compute=True)
    compute = eventually(lambda: value(service, "python")["compute"])
    assert compute.startswith("3.")
    assert value(service, "python")["login"].startswith("3.")
    able = eventually(lambda: value(service, "builders")["compute"])
    assert able["runtimes"]["venv"]["builds"]
    assert able["tmp_free_bytes"] > 0
    assert set(able) == set(value(service, "builders")["login"])
