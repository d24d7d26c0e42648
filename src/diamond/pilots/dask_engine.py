"""Dask as the engine: its scheduler on the first node, one worker on each, mutual TLS between all of them.

Dask carries batches of starts to the workers and of events back, and notices when a worker dies. On its node each worker
holds the runner (`node.py`), which starts the programs; so a program is never a Dask task, and Dask never runs one twice.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import queue
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Dict, List, Mapping, Optional, Sequence

import distributed
from dask import config

from diamond.core.decoding import decode
from diamond.launchers.ranks.node_address import own_address
from diamond.pilots.engine import EngineFailed, Event, Launch, NodeDown, NodeUp
from diamond.pilots.journal import Node
from diamond.pilots.keys import Keys, make_keys, remove_keys
from diamond.pilots.runner_pipe import RunnerPipe, event_of, own_command
from diamond.pilots.settings import PilotSettings

MOST_RESTARTS = 3
LISTEN_SECONDS = 20.0
"""How long a worker's answer waits for something to happen."""
TOGETHER_SECONDS = 0.002
"""What happens right after the first event is sent with it."""
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


class DaskEngine:
    """`environment`: what programs inherit. `places`: for each node, the words that start a process there."""

    def __init__(
        self,
        settings: PilotSettings,
        environment: Mapping[str, str],
        places: Mapping[str, Sequence[str]],
    ) -> None:
        self._settings, self._environment = settings, dict(environment)
        self._words = {name: list(words) for name, words in places.items()}
        self._events: queue.Queue[Event | EngineFailed] = queue.Queue()
        self._workers: Dict[str, subprocess.Popen[bytes]] = {}
        self._restarts: Dict[str, int] = dict.fromkeys(places, 0)
        self._addresses: Dict[str, str] = {}
        self._keys_folder = Path(settings.folder) / f"keys-{os.getpid()}-{time.monotonic_ns()}"
        self._scheduler: Optional[subprocess.Popen[bytes]] = None
        self._client: Optional[distributed.Client] = None
        self._closing = False
        self._address = ""
        self._lock = threading.Lock()

    def open(self) -> None:
        """Scheduler and workers are started at once; the workers learn the address when it is there."""
        _configure()
        keys = make_keys(self._keys_folder)
        host = _own_host(self._settings)
        try:
            self._scheduler = _start(own_command("dask-scheduler", json.dumps([*keys, host])))
            for name in self._words:
                self._start_worker(name, keys)
            self._address = self._read_address()
            for name in list(self._workers):
                self._tell_address(name)
            self._client = distributed.Client(
                self._address,
                security=_security(keys),
                timeout=CONNECT_SECONDS,
                set_as_default=False,
                name="diamond-pilot",
            )
        except (OSError, RuntimeError, TimeoutError) as error:
            self.close()
            raise EngineFailed(f"Dask could not be started: {error}") from error
        threading.Thread(target=self._watch, args=(keys,), name="watch", daemon=True).start()

    def start(self, launches: Sequence[Launch]) -> None:
        by_node: Dict[str, List[Dict[str, Any]]] = {}
        for launch in launches:
            by_node.setdefault(launch.node, []).append({"start": launch.data()})
        for node, commands in by_node.items():
            self._send(node, commands)

    def kill(self, name: str, node: str, *, at_once: bool) -> None:
        self._send(node, [{"kill": name, "at_once": at_once}])

    def take_back(self, name: str, node: str) -> None:
        self._send(node, [{"take_back": name}])

    def events(self, seconds: float) -> List[Event]:
        happened: List[Event] = []
        try:
            self._note(self._events.get(timeout=seconds), happened)
            while True:
                self._note(self._events.get_nowait(), happened)
        except queue.Empty:
            return happened

    def close(self) -> None:
        """An end of its input ends a worker, and with it the runner and all its programs."""
        self._closing = True
        for worker in self._workers.values():
            if worker.stdin is not None:
                worker.stdin.close()
        until = time.monotonic() + 8.0
        for worker in self._workers.values():
            _end(worker, until)
        if self._client is not None:
            self._client.close(timeout=2)
        if self._scheduler is not None:
            self._scheduler.kill()
            self._scheduler.wait()
        remove_keys(self._keys_folder)

    def _note(self, happened: Event | EngineFailed, events: List[Event]) -> None:
        if isinstance(happened, EngineFailed):
            raise happened
        events.append(happened)

    def _send(self, node: str, commands: List[Dict[str, Any]]) -> None:
        """To one that is gone nothing is sent: its `NodeDown` is on the way."""
        address = self._addresses.get(node)
        if address is None or self._client is None:
            return
        future = self._client.submit(
            run_commands,
            self._worker_name(node),
            commands,
            workers=[address],
            allow_other_workers=False,
            pure=False,
            retries=0,
            priority=10,
        )
        distributed.fire_and_forget(future)

    def _listen(self, name: str, address: str) -> None:
        """One question is always with each worker: what happened? Its failure means that the worker is gone."""
        if self._client is None or self._closing:
            return
        future = self._client.submit(
            next_events, workers=[address], allow_other_workers=False, pure=False, retries=0
        )
        future.add_done_callback(partial(self._heard, name, address))

    def _heard(self, name: str, address: str, future: Any) -> None:
        if self._closing:
            return
        if future.status != "finished":
            if self._addresses.pop(name, None) == address:
                self._events.put(NodeDown(name, "the connection to its worker ended"))
            return
        happened = future.result()
        self._listen(name, address)
        for each in happened:
            self._events.put(event_of(each))

    def _watch(self, keys: Keys) -> None:
        """New workers, and processes that ended."""
        while not self._closing:
            assert self._scheduler is not None
            if self._scheduler.poll() is not None:
                self._events.put(EngineFailed("the process of Dask's scheduler ended"))
                return
            try:
                self._look_for_workers()
                self._restart_workers(keys)
            except Exception as error:
                if not self._closing:
                    self._events.put(EngineFailed(f"Dask does not answer: {error}"))
                return
            time.sleep(0.02 if len(self._addresses) < len(self._words) else 0.5)

    def _look_for_workers(self) -> None:
        assert self._client is not None
        if len(self._addresses) == len(self._words):
            return
        known = set(self._addresses.values())
        for address, about in self._client.scheduler_info(n_workers=-1)["workers"].items():
            name = str(about["name"]).rpartition("#")[0]
            if address in known or name not in self._words or name in self._addresses:
                continue
            if about["name"] != self._worker_name(name):
                continue
            described = self._client.submit(
                describe, self._environment, workers=[address], pure=False, retries=0
            ).result(timeout=CONNECT_SECONDS)
            self._addresses[name] = address
            self._events.put(NodeUp(decode(Node, described)))
            self._listen(name, address)

    def _restart_workers(self, keys: Keys) -> None:
        for name, worker in list(self._workers.items()):
            if worker.poll() is None or self._closing:
                continue
            if self._addresses.pop(name, None) is not None:
                self._events.put(NodeDown(name, "its worker ended"))
            if self._restarts[name] < MOST_RESTARTS:
                self._restarts[name] += 1
                self._start_worker(name, keys)
                self._tell_address(name)

    def _worker_name(self, name: str) -> str:
        return f"{name}#{self._restarts[name]}"

    def _start_worker(self, name: str, keys: Keys) -> None:
        asked = self._settings
        about = [*keys, self._worker_name(name), name, asked.cores, asked.memory_mb, asked.gpus]
        about.append(len(self._words) == 1)
        command = own_command("dask-worker", json.dumps(about))
        self._workers[name] = _start([*self._words[name], *command])

    def _tell_address(self, name: str) -> None:
        stdin = self._workers[name].stdin
        assert stdin is not None
        try:
            stdin.write(f"{self._address}\n".encode())
            stdin.flush()
        except OSError:
            return  # it has ended, and is started again

    def _read_address(self) -> str:
        assert self._scheduler is not None and self._scheduler.stdout is not None
        line = self._scheduler.stdout.readline().decode().strip()
        if not line:
            raise RuntimeError("its scheduler ended at once")
        return line


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
    _configure()
    _end_with_input()

    async def serve() -> None:
        scheduler = _Scheduler(
            host=host,
            port=0,
            dashboard=False,
            protocol="tls",
            security=_security(Keys(certificate, key)),
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
    _configure()
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
            security=_security(Keys(certificate, key)),
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
        time.sleep(TOGETHER_SECONDS)
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


def _configure() -> None:
    """Dask's own defaults and these: no file or variable of the account changes what an engine does."""
    config.refresh(paths=[], env={})
    config.set({**_SETTINGS, "temporary-directory": tempfile.gettempdir()})
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # the journal says what happened


def _security(keys: Keys) -> distributed.Security:
    """The same key everywhere: who has it is one of us."""
    ours = {
        f"tls_{role}_{what}": path
        for role in ("scheduler", "worker", "client")
        for what, path in (("cert", keys.certificate), ("key", keys.key))
    }
    return distributed.Security(
        tls_ca_file=keys.certificate, require_encryption=True, tls_min_version=0x0303, **ours
    )


def _own_host(settings: PilotSettings) -> str:
    if settings.nodes == 1:
        return "127.0.0.1"
    names = [socket.gethostname()]
    return own_address(names, settings.interface, alone=False)


def _start(command: List[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def _end(process: subprocess.Popen[bytes], until: float) -> None:
    try:
        process.wait(max(0.1, until - time.monotonic()))
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


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
