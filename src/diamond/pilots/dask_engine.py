"""Dask as the engine: its scheduler on the first node, one worker on each, mutual TLS between all of them.

Dask carries batches of starts to the workers and of events back, and notices when a worker dies. On its node each worker
holds the runner (`node.py`), which starts the programs; so a program is never a Dask task, and Dask never runs one twice.
"""

from __future__ import annotations

import json
import os
import queue
import socket
import subprocess
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence

from diamond.core.decoding import decode
from diamond.launchers.ranks.node_address import own_address
from diamond.pilots.engine import EngineFailed, Event, Launch, NodeDown, NodeUp
from diamond.pilots.journal import Node
from diamond.pilots.keys import Keys, make_keys, remove_keys
from diamond.pilots.runner_pipe import event_of, own_command
from diamond.pilots.settings import PilotSettings

MOST_RESTARTS = 3
SETTLE_SECONDS = 0.3
"""So long after a connection its process may take to end."""
SCHEDULER_ENDED = "the process of Dask's scheduler ended"


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
        self._client: Any = None
        self._closing = False
        self._address = ""
        self._there: Any = None
        """`dask_processes`, once it is imported."""

    def open(self) -> None:
        """Scheduler and workers are started at once; the workers learn the address when it is there.

        Importing Dask is most of the time until the first stage: this process does it while the others do.
        """
        keys = make_keys(self._keys_folder)
        host = _own_host(self._settings)
        try:
            self._scheduler = _start(own_command("dask-scheduler", json.dumps([*keys, host])))
            for name in self._words:
                self._start_worker(name, keys)
            from diamond.pilots import dask_processes

            self._there = dask_processes
            self._address = self._read_address()
            for name in list(self._workers):
                self._tell_address(name)
            self._client = dask_processes.connect(self._address, keys)
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
        self._there.send(self._client, address, self._worker_name(node), commands)

    def _listen(self, name: str, address: str) -> None:
        """One question is always with each worker: what happened? Its failure means that the worker is gone."""
        if self._client is None or self._closing:
            return
        future = self._client.submit(
            self._there.next_events,
            workers=[address],
            allow_other_workers=False,
            pure=False,
            retries=0,
        )
        future.add_done_callback(partial(self._heard, name, address))

    def _heard(self, name: str, address: str, future: Any) -> None:
        if self._closing:
            return
        if future.status != "finished":
            if self._addresses.pop(name, None) == address:
                self._events.put(self._loss_of(name, "the connection to its worker ended"))
            return
        happened = future.result()
        self._listen(name, address)
        for each in happened:
            self._events.put(event_of(each))

    def _loss_of(self, name: str, why: str) -> NodeDown | EngineFailed:
        """Workers end with their scheduler: then no node is to blame."""
        assert self._scheduler is not None
        try:
            self._scheduler.wait(SETTLE_SECONDS)
        except subprocess.TimeoutExpired:
            return NodeDown(name, why)
        return EngineFailed(SCHEDULER_ENDED)

    def _watch(self, keys: Keys) -> None:
        """New workers, and processes that ended."""
        while not self._closing:
            assert self._scheduler is not None
            if self._scheduler.poll() is not None:
                self._events.put(EngineFailed(SCHEDULER_ENDED))
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
                self._there.describe, self._environment, workers=[address], pure=False, retries=0
            ).result(timeout=self._there.CONNECT_SECONDS)
            self._addresses[name] = address
            self._events.put(NodeUp(decode(Node, described)))
            self._listen(name, address)

    def _restart_workers(self, keys: Keys) -> None:
        for name, worker in list(self._workers.items()):
            if worker.poll() is None or self._closing:
                continue
            if self._addresses.pop(name, None) is not None:
                self._events.put(self._loss_of(name, "its worker ended"))
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
