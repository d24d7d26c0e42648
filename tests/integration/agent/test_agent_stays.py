"""After pairing the agent stays, and says how."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from diamond.agent.site.bundle import build_bundle
from diamond.testing.lab import Lab
from support.agents import AgentProcess
from support.sync_service import SyncService, eventually

CRONTAB = """#!/bin/sh
# A crontab with a file for its table.
if [ "$1" = -l ]; then cat "$TABLE" 2>/dev/null; else cat > "$TABLE"; fi
"""


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    build_bundle(tmp_path / "agent.pyz")
    return tmp_path / "agent.pyz"


def pair(
    endpoint: AgentProcess, service: SyncService, bundle: Path, *words: str, **env: str
) -> str:
    done = subprocess.run(
        [
            sys.executable,
            str(bundle),
            "pair",
            "--url",
            service.url,
            *("--scheduler", "local"),
            *words,
        ],
        env={**endpoint.environment(), **env},
        input="a-pairing-code\n",
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def stop(endpoint: AgentProcess, bundle: Path) -> None:
    command = [sys.executable, str(bundle), "stop"]
    subprocess.run(command, env=endpoint.environment(), check=True, capture_output=True)


def test_it_outlives_the_terminal_and_says_how_to_revive_it(
    endpoint: AgentProcess, service: SyncService, bundle: Path
) -> None:
    said = pair(endpoint, service, bundle)
    assert "resident" in said and "After a reboot" in said
    task = service.submit({"command": "true"})
    service.until(task.id, "succeeded")
    assert service.hellos[-1]["stays"] == "resident"
    stop(endpoint, bundle)


def test_cron_starts_it_again_beside_what_was_in_the_table(
    endpoint: AgentProcess, service: SyncService, bundle: Path, tmp_path: Path
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "crontab").write_text(CRONTAB)
    (tools / "crontab").chmod(0o755)
    table = tmp_path / "table"
    table.write_text("0 0 * * * backup\n")
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    said = pair(endpoint, service, bundle, "--stay", "cron", PATH=path, TABLE=str(table))
    assert "crontab" in said
    lines = table.read_text().splitlines()
    assert lines[0] == "0 0 * * * backup"
    assert "DIAMOND_STAYS=cron" in lines[1] and "--endpoint" in lines[1]
    eventually(lambda: bool(service.hellos))
    assert service.hellos[-1]["stays"] == "cron"
    stop(endpoint, bundle)


def test_a_batch_job_keeps_it_where_compute_nodes_reach_the_service(
    endpoint: AgentProcess, service: SyncService, bundle: Path, slurm_lab: Lab
) -> None:
    cluster = slurm_lab.cluster("alpha")
    said = pair(
        endpoint, service, bundle, "--stay", "batch-job", "--scheduler", "slurm", **cluster.env()
    )
    number = said.split("batch job ")[1].split(".")[0]
    try:
        hello = eventually(lambda: service.hellos)[-1]
        assert (hello["stays"], hello["host"][:6]) == ("batch-job", "alpha-")
        job = cluster.run(["squeue", "-h", "-j", number, "-o", "%j %a %P %l"]).stdout.split()
        assert job[:3] == ["diamond-agent", "root", "debug"] and job[3] != "UNLIMITED"
    finally:
        cluster.run(["scancel", number])
