"""The processes of Dask in an allocation: its scheduler on the first node, and a worker on each, which holds the node's runner."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from types import SimpleNamespace
from typing import Any, List, Mapping

import distributed
from dask import config

from diamond.pilots.keys import Keys
from diamond.pilots.runner_pipe import RunnerPipe, own_command

LISTEN_SECONDS = 20.0
"""How long a worker's answer waits for something to happen."""
TOGETHER_SECONDS, BUSY_TOGETHER_SECONDS = 0.002, 0.03
"""What happens right after the first event is sent with it. Where much happens, each message costs more than waiting does."""
BUSY_SECONDS = 0.1
CONNECT_SECONDS = 60.0
_SETTINGS = {
    "distributed.scheduler.allowed-failures": 0,
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.worker-ttl": "60s",
    "distributed.scheduler.worker-saturation": "inf",
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
    "distributed.diagnostics.nvml": False,
    "distributed.diagnostics.computations.max-history": 1,
    "distributed.admin.log-length": 100,
    "distributed.admin.low-level-log-length": 100,
    "distributed.client.preload": [],
    "distributed.worker.preload": [],
    "distributed.scheduler.preload": [],
    "distributed.comm.require-encryption": True,
}


class _WithoutPages:
    """Dask listens for web pages even with its dashboard off, without TLS: these open no such port."""

    def start_http_server(self, *_: Any, **__: Any) -> None:
        self.http_application = SimpleNamespace(applications=[])
        self.http_server = None


_Scheduler: Any = type("_Scheduler", (_WithoutPages, distributed.Scheduler), {})
_Worker: Any = type("_Worker", (_WithoutPages, distributed.Worker), {})


def run_scheduler(words: List[str]) -> int:
    """`[certificate, key, host]`: says its address, and serves until its input ends."""
    certificate, key, host = json.loads(words[0])
    configure()
    _end_with_input()

    async def serve() -> None:
        scheduler = _Scheduler(
            host=host,
            port=0,
            dashboard=False,
            protocol="tls",
            security=security(Keys(certificate, key)),
            http_prefix="",
        )
        async with scheduler:
            print(scheduler.address, flush=True)
            await scheduler.finished()

    asyncio.run(serve())
    return 0


def run_worker(words: List[str]) -> int:
    """Reads the scheduler's address from its input, and serves until that ends."""
    certificate, key, worker_name, node, cores, memory_mb, gpus, is_alone = json.loads(words[0])
    configure()
    address = _input_line()
    if not address:
        return 0
    runner = _Runner(worker_name, node, cores, memory_mb, gpus)
    _end_with_input(runner.close)

    scratch = tempfile.mkdtemp(prefix="diamond-pilot-")

    async def serve() -> None:
        worker = _Worker(
            address,
            name=worker_name,
            nthreads=4,
            host="127.0.0.1" if is_alone else None,
            protocol="tls",
            security=security(Keys(certificate, key)),
            dashboard=False,
            memory_limit=0,
            local_directory=os.environ.get("TMPDIR", "/tmp"),
            heartbeat_interval="2s",
        )
        async with worker:
            await worker.finished()

    _HERE.append(runner)
    try:
        asyncio.run(serve())
    finally:
        runner.close()
        shutil.rmtree(scratch, ignore_errors=True)
    return 0


class _Runner:
    """The node's runner, as the functions below use it on the worker."""

    def __init__(self, worker_name: str, node: str, cores: int, memory_mb: int, gpus: int) -> None:
        self.worker_name = worker_name
        self._said_at = 0.0
        self._said: queue.Queue[Mapping[str, Any]] = queue.Queue()
        self._described: queue.Queue[Mapping[str, Any]] = queue.Queue()
        command = own_command("node", node, str(cores), str(memory_mb), str(gpus))
        self.pipe = RunnerPipe(command, report=self._report, gone=_leave)

    def describe(self, environment: Mapping[str, str]) -> Mapping[str, Any]:
        self.pipe.send([{"environment": dict(environment)}])
        node: Mapping[str, Any] = self._described.get(timeout=CONNECT_SECONDS)["node"]
        return node

    def next_events(self) -> List[Mapping[str, Any]]:
        try:
            happened = [self._said.get(timeout=LISTEN_SECONDS)]
        except queue.Empty:
            return []
        is_busy = time.monotonic() - self._said_at < BUSY_SECONDS
        time.sleep(BUSY_TOGETHER_SECONDS if is_busy else TOGETHER_SECONDS)
        self._said_at = time.monotonic()
        while True:
            try:
                happened.append(self._said.get_nowait())
            except queue.Empty:
                return happened

    def close(self) -> None:
        self.pipe.close()
        try:
            self.pipe.process.wait(6.0)
        except subprocess.TimeoutExpired:
            self.pipe.process.kill()

    def _report(self, said: List[Mapping[str, Any]]) -> None:
        for each in said:
            (self._described if "node" in each else self._said).put(each)


_HERE: List[_Runner] = []
"""On a worker, its runner."""


def describe(environment: Mapping[str, str]) -> Mapping[str, Any]:
    return _HERE[0].describe(environment)


def run_commands(worker_name: str, commands: List[Mapping[str, Any]]) -> None:
    """Once: Dask may compute a lost result again, on a worker that was started in the place of another."""
    if _HERE[0].worker_name == worker_name:
        _HERE[0].pipe.send(commands)


def next_events() -> List[Mapping[str, Any]]:
    return _HERE[0].next_events()


def _leave() -> None:
    """Without its runner a worker is of no use; the pilot starts another."""
    os._exit(1)


def connect(address: str, keys: Keys) -> distributed.Client:
    """For the pilot's own program."""
    configure()
    return distributed.Client(
        address,
        security=security(keys),
        timeout=CONNECT_SECONDS,
        set_as_default=False,
        name="diamond-pilot",
    )


def send(
    client: distributed.Client, address: str, worker_name: str, commands: List[Mapping[str, Any]]
) -> None:
    """To the runner that this worker holds; nobody waits for an answer."""
    future = client.submit(
        run_commands,
        worker_name,
        commands,
        workers=[address],
        allow_other_workers=False,
        pure=False,
        retries=0,
        priority=10,
    )
    distributed.fire_and_forget(future)


def configure() -> None:
    """Dask's own defaults and these: no file or variable of the account changes what an engine does."""
    config.refresh(paths=[], env={})
    config.set({**_SETTINGS, "temporary-directory": tempfile.gettempdir()})
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # the journal says what happened


def security(keys: Keys) -> distributed.Security:
    """The same key everywhere: who has it is one of us."""
    ours = {
        f"tls_{role}_{what}": path
        for role in ("scheduler", "worker", "client")
        for what, path in (("cert", keys.certificate), ("key", keys.key))
    }
    return distributed.Security(
        tls_ca_file=keys.certificate, require_encryption=True, tls_min_version=0x0303, **ours
    )


def _input_line() -> str:
    return sys.stdin.readline().strip()


def _end_with_input(before: Any = None) -> None:
    """The pilot's program holds the other end: with it everything of its engine goes."""

    def wait() -> None:
        while os.read(0, 4096):
            pass
        if before is not None:
            before()
        os._exit(0)

    threading.Thread(target=wait, name="input", daemon=True).start()
