"""The real thing in a temp folder: a Slurm cluster, a service, agents."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from bench.processes import free_port, is_alive, running
from bench.stamps import Stamps
from bench.traffic import Traffic, counted
from bench.waiting import wait_for
from diamond.sdk import Client
from diamond.testing.lab import Cluster, Lab


@dataclass(frozen=True)
class Service:
    folder: Path
    url: str
    token: str
    pid: int

    def client(self) -> Client:
        return Client(self.url, self.token)

    @property
    def env(self) -> dict[str, str]:
        """The variables that make `diamond` use this service."""
        home = str(self.folder)
        return {"DIAMOND_URL": self.url, "DIAMOND_TOKEN": self.token, "DIAMOND_HOME": home}


@dataclass(frozen=True)
class Agent:
    name: str
    pid: int
    work: Path


@dataclass(frozen=True)
class Stack:
    """One service, and one agent named `cluster` on a Slurm cluster."""

    cluster: Cluster
    service: Service
    agent: Agent
    stamps: Stamps
    traffic: Traffic
    """Between agent and service, if it is counted."""

    @property
    def ended_jobs(self) -> Path:
        """Slurm's own list of ended jobs, one line each."""
        return self.cluster.shape.root / "jobcomp.txt"


@contextlib.contextmanager
def slurm_stack(
    folder: Path, *, nodes: int = 4, cpus: int = 8, stamped: bool = True, counts: bool = False
) -> Iterator[Stack]:
    """`stamped`: with wrappers on PATH and a Prolog, which cost each job a few milliseconds. `counts`: the traffic."""
    with contextlib.ExitStack() as stack:
        stamps = Stamps(folder / "stamps")
        stamps.count_questions()
        used = stamps if stamped else None
        cluster = stack.enter_context(slurm_cluster(folder, used, nodes=nodes, cpus=cpus))
        service = stack.enter_context(started_service(folder / "service"))
        env = cluster_env(cluster, used)
        traffic = stack.enter_context(counted(service.url)) if counts else Traffic(service.url)
        seen = replace(service, url=traffic.url)
        agent = stack.enter_context(started_agent(seen, "cluster", folder / "agent", env))
        yield Stack(cluster, service, agent, stamps, traffic)


@contextlib.contextmanager
def slurm_cluster(
    folder: Path, stamps: Stamps | None, *, nodes: int, cpus: int
) -> Iterator[Cluster]:
    settings = [f"Prolog={stamps.prolog}"] if stamps else []
    root = folder / "lab"
    lab = Lab.up(root, clusters="alpha", nodes=nodes, cpus=cpus, gpus="0", users="", set=settings)
    try:
        yield lab.cluster("alpha")
    finally:
        lab.down(purge=True)


def cluster_env(cluster: Cluster, stamps: Stamps | None) -> dict[str, str]:
    """A user's environment on the login node, with our wrappers first on PATH."""
    env = cluster.command_env(None)
    return env if stamps is None else {**env, "PATH": f"{stamps.bin}{os.pathsep}{env['PATH']}"}


@contextlib.contextmanager
def started_service(folder: Path, database_url: str = "") -> Iterator[Service]:
    folder.mkdir(parents=True)
    log, port = folder / "bench-service.log", free_port()
    words = [sys.executable, "-m", "diamond.service", "--home", str(folder), "--port", str(port)]
    words += ["--database-url", database_url] if database_url else []
    with running(words, env=os.environ, log=log) as process:
        saved = wait_for(lambda: read_token(folder, process, log), within=60)
        service = Service(folder, saved["url"], saved["token"], process.pid)
        wait_for(lambda: is_healthy(service), within=30)
        yield service


def read_token(folder: Path, process: subprocess.Popen[bytes], log: Path) -> dict[str, str]:
    is_alive(process, log)
    try:
        return dict(json.loads((folder / "token.json").read_text()))
    except (FileNotFoundError, ValueError):
        return {}


def is_healthy(service: Service) -> bool:
    from diamond.core.errors import ServiceUnreachable

    try:
        return bool(service.client().transport.get("/api/v1/health")["ok"])
    except ServiceUnreachable:
        return False


@contextlib.contextmanager
def started_agent(
    service: Service,
    name: str,
    folder: Path,
    env: Mapping[str, str],
    scheduler: str = "slurm",
    *,
    within: float = 180,
) -> Iterator[Agent]:
    """The served one-file agent, online, after it has sent its first profile."""
    folder.mkdir(parents=True)
    client = service.client()
    body = {"name": name, "carrier": "local"}
    made = client.transport.post("/api/v1/endpoints", body, creates=True)
    words = [*agent_words(service, folder, made["key"]), "--scheduler", scheduler]
    places = {f"DIAMOND_{place.upper()}": str(folder / place) for place in ("keep", "work", "tmp")}
    log = folder / "bench-agent.log"
    with running(words, env={**env, **places}, log=log, cwd=folder) as process:
        wait_for(
            lambda: is_alive(process, log) and is_ready(client, name), within=within, every=0.2
        )
        yield Agent(name, process.pid, folder / "work")


def local_agent(service: Service, folder: Path) -> contextlib.AbstractContextManager[Agent]:
    """An agent named `local` that runs tasks on this machine."""
    return started_agent(service, "local", folder, os.environ, "local")


def agent_words(service: Service, folder: Path, key: str) -> list[str]:
    bundle, key_file = folder / "agent.pyz", folder / "key"
    bundle.write_bytes(service.client().transport.call("GET", "/agent.pyz").body)
    key_file.touch(mode=0o600)
    key_file.write_text(key)
    run = ["run", "--url", service.url, "--key-file", str(key_file)]
    return [sys.executable, str(bundle), *run]


def is_ready(client: Client, name: str) -> bool:
    endpoint = client.transport.get(f"/api/v1/endpoints/{name}")
    return endpoint["state"] == "online" and "scheduler" in endpoint["profile"].get("facts", {})
