"""Memory and CPU of an idle service, and of an agent that watches 50 running tasks."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from bench.claim import Claim, Findings, Options
from bench.jobs import spec
from bench.numbers import median
from bench.processes import cpu_seconds, memory_mb
from bench.stack import Stack, slurm_stack, started_service
from bench.watching import Watcher

FULL_MINUTES = 10.0
TASKS = 50
SETTLE_SECONDS = 30.0
EVERY_SECONDS = 5.0
MOST_SERVICE_MB, MOST_AGENT_MB, MOST_CPU_PERCENT = 150.0, 50.0, 1.0


def measure(options: Options) -> Findings:
    findings = Findings()
    bare = bare_python_mb()
    fresh = fresh_service_mb(options.folder)
    findings.add(
        "service, just started",
        f"{fresh:.0f} MB",
        f"< {MOST_SERVICE_MB:.0f} MB",
        fresh < MOST_SERVICE_MB,
    )
    with slurm_stack(options.folder, nodes=5, cpus=10) as stack:
        fill(stack)
        memory, cpu = watch(stack.agent.pid, options.seconds(FULL_MINUTES))
        service = memory_mb(stack.service.pid)
    findings.add(
        "service with 50 running tasks",
        f"{service:.0f} MB",
        f"< {MOST_SERVICE_MB:.0f} MB",
        service < MOST_SERVICE_MB,
    )
    findings.add(
        "agent with 50 running tasks",
        f"{memory:.0f} MB",
        f"< {MOST_AGENT_MB:.0f} MB",
        memory < MOST_AGENT_MB,
    )
    findings.add(
        "the same, CPU with its children",
        f"{cpu:.2f} % of a core",
        f"< {MOST_CPU_PERCENT:.0f} %",
        cpu < MOST_CPU_PERCENT,
    )
    findings.add("bare `python`", f"{bare:.0f} MB")
    findings.add("agent / bare `python`", f"{memory / bare:.1f}")
    return findings


def bare_python_mb() -> float:
    words = [sys.executable, "-c", "import sys; print('up', flush=True); sys.stdin.read()"]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe) as process:
        assert process.stdout and process.stdin
        process.stdout.readline()
        memory = memory_mb(process.pid)
        process.stdin.close()
    return memory


def fresh_service_mb(folder: Path) -> float:
    with started_service(folder / "fresh") as service:
        service.client().transport.get("/api/v1/tasks")
        return memory_mb(service.pid)


def fill(stack: Stack) -> None:
    client = stack.service.client()
    watcher = Watcher(client)
    asked = spec(["sleep", "3000"])
    tasks = [client.run(asked, folder=stack.stamps.folder).task.id for _ in range(TASKS)]
    watcher.wait_state(tasks, "running", within=180)
    time.sleep(SETTLE_SECONDS)


def watch(pid: int, seconds: float) -> tuple[float, float]:
    """Median memory in MB and CPU in percent of a core, over some time."""
    memory, began, used = [], time.monotonic(), cpu_seconds(pid)
    while time.monotonic() - began < seconds:
        memory.append(memory_mb(pid))
        time.sleep(EVERY_SECONDS)
    share = (cpu_seconds(pid) - used) / (time.monotonic() - began)
    return median(memory), 100 * share


CLAIM = Claim("idle", f"Idle memory and CPU ({os.uname().machine})", measure)
