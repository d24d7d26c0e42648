"""What an idle service uses, and what an agent does to a login node: at rest, and with 50 running tasks."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from bench.claim import Claim, Findings, Options
from bench.claims.questions import Rate
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
    with slurm_stack(options.folder, nodes=5, cpus=10, counts=True) as stack:
        time.sleep(SETTLE_SECONDS)
        rest = load_of(stack, options.folder / "agent", options.seconds(FULL_MINUTES) / 2)
        fill(stack)
        busy = load_of(stack, options.folder / "agent", options.seconds(FULL_MINUTES))
        service = memory_mb(stack.service.pid)
    findings.add(
        "service with 50 running tasks",
        f"{service:.0f} MB",
        f"< {MOST_SERVICE_MB:.0f} MB",
        service < MOST_SERVICE_MB,
    )
    add_load(findings, "agent at rest", rest)
    add_load(findings, "agent with 50 running tasks", busy)
    findings.add("bare `python`", f"{bare:.0f} MB")
    findings.add("agent / bare `python`", f"{busy.memory / bare:.1f}")
    return findings


@dataclass(frozen=True)
class Load:
    """Of an agent on its login node, over some time."""

    memory: float
    cpu: float
    questions: Rate
    files_per_hour: float
    written_kb_per_hour: float
    sent_kb_per_hour: float
    received_kb_per_hour: float
    connections_per_hour: float


def add_load(findings: Findings, who: str, load: Load) -> None:
    is_small, is_quiet = load.memory < MOST_AGENT_MB, load.cpu < MOST_CPU_PERCENT
    findings.add(who, f"{load.memory:.0f} MB", f"< {MOST_AGENT_MB:.0f} MB", is_small)
    share = f"{load.cpu:.2f} % of a core"
    findings.add("- CPU with its children", share, f"< {MOST_CPU_PERCENT:.0f} %", is_quiet)
    findings.add("- questions to Slurm", load.questions.words())
    findings.add("- files made or changed", f"{load.files_per_hour:.0f} an hour")
    findings.add("- written", f"{load.written_kb_per_hour:.0f} kB an hour")
    ways = f"{load.sent_kb_per_hour:.0f} kB sent, {load.received_kb_per_hour:.0f} kB received"
    findings.add("- network", f"{ways}, {load.connections_per_hour:.0f} new connections an hour")


def load_of(stack: Stack, folder: Path, seconds: float) -> Load:
    began, written = time.time(), written_bytes(stack.agent.pid)
    traffic = stack.traffic
    sent, received, connections = traffic.sent, traffic.received, traffic.connections
    memory, cpu = watch(stack.agent.pid, seconds)
    hours = (time.time() - began) / 3600
    asked = stack.stamps.questions(since=began, until=time.time())
    return Load(
        memory=memory,
        cpu=cpu,
        questions=Rate(asked, 60 * hours),
        files_per_hour=changed_since(folder, began) / hours,
        written_kb_per_hour=(written_bytes(stack.agent.pid) - written) / 1000 / hours,
        sent_kb_per_hour=(traffic.sent - sent) / 1000 / hours,
        received_kb_per_hour=(traffic.received - received) / 1000 / hours,
        connections_per_hour=(traffic.connections - connections) / hours,
    )


def changed_since(folder: Path, began: float) -> int:
    """In the agent's own folders; heartbeats and logs in `runs/` are the jobs'."""
    files = (file for file in folder.rglob("*") if file.is_file() and "runs" not in file.parts)
    return sum(file.stat().st_mtime >= began for file in files)


def written_bytes(pid: int) -> int:
    """By write calls to files and sockets, of the process itself."""
    lines = Path(f"/proc/{pid}/io").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("wchar"))


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
