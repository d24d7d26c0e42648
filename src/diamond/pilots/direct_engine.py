"""The engine without a server: the pilot's program holds each node's runner by a pipe, through what starts processes there.

It needs nothing installed, and shows what the packing and the journal cost without Dask (bench/claims/pilot_engines.py).
"""

from __future__ import annotations

import queue
import subprocess
import time
from dataclasses import dataclass
from functools import partial
from typing import Any, Dict, List, Mapping, Sequence

from diamond.core.decoding import decode
from diamond.pilots.engine import EngineFailed, Event, Launch, NodeDown, NodeUp
from diamond.pilots.journal import Node
from diamond.pilots.runner_pipe import RunnerPipe, event_of, own_command
from diamond.pilots.settings import PilotSettings

MOST_RESTARTS = 3


@dataclass
class _Place:
    """One node of the allocation."""

    pipe: RunnerPipe
    restarts: int = 0


class DirectEngine:
    """`environment`: what programs inherit. `places`: for each node, the words that start a process there."""

    def __init__(
        self,
        settings: PilotSettings,
        environment: Mapping[str, str],
        places: Mapping[str, Sequence[str]],
    ) -> None:
        self._settings, self._environment = settings, dict(environment)
        self._words = {name: list(words) for name, words in places.items()}
        self._events: queue.Queue[Event] = queue.Queue()
        self._places: Dict[str, _Place] = {}
        self._closing = False

    def open(self) -> None:
        for name in self._words:
            self._places[name] = _Place(self._start_runner(name))

    def start(self, launches: Sequence[Launch]) -> None:
        by_node: Dict[str, List[Mapping[str, Any]]] = {}
        for launch in launches:
            by_node.setdefault(launch.node, []).append({"start": launch.data()})
        for node, commands in by_node.items():
            self._places[node].pipe.send(commands)

    def kill(self, name: str, node: str, *, at_once: bool) -> None:
        if node in self._places:
            self._places[node].pipe.send([{"kill": name, "at_once": at_once}])

    def take_back(self, name: str, node: str) -> None:
        if node in self._places:
            self._places[node].pipe.send([{"take_back": name}])

    def events(self, seconds: float) -> List[Event]:
        try:
            happened = [self._events.get(timeout=seconds)]
        except queue.Empty:
            return []
        while True:
            try:
                happened.append(self._events.get_nowait())
            except queue.Empty:
                return happened

    def close(self) -> None:
        self._closing = True
        for place in self._places.values():
            place.pipe.close()
        until = time.monotonic() + 8.0
        for place in self._places.values():
            try:
                place.pipe.process.wait(max(0.1, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                place.pipe.process.kill()

    def _start_runner(self, name: str) -> RunnerPipe:
        asked = self._settings
        command = own_command("node", name, str(asked.cores), str(asked.memory_mb), str(asked.gpus))
        try:
            pipe = RunnerPipe(
                [*self._words[name], *command],
                report=partial(self._report, name),
                gone=partial(self._gone, name),
            )
        except OSError as error:
            raise EngineFailed(f"nothing can be started on {name}: {error}") from error
        pipe.send([{"environment": self._environment}])
        return pipe

    def _report(self, name: str, said: List[Mapping[str, Any]]) -> None:
        for each in said:
            if "node" in each:
                self._events.put(NodeUp(decode(Node, each["node"])))
            else:
                self._events.put(event_of(each))

    def _gone(self, name: str) -> None:
        if self._closing:
            return
        self._events.put(NodeDown(name, "its runner ended"))
        place = self._places[name]
        if place.restarts < MOST_RESTARTS:
            place.restarts += 1
            time.sleep(0.2 * place.restarts)
            place.pipe = self._start_runner(name)
