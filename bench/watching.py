"""A client of the event stream that records when each event arrived."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Sequence
from typing import Any

from bench.waiting import wait_for
from diamond.core.task import FINAL_STATES
from diamond.sdk import Client

FINAL = {state.value for state in FINAL_STATES}


class Watcher:
    """Listens from its creation until closed, because an open stream costs the service work for every event."""

    def __init__(self, client: Client, watch: Sequence[str] = ()) -> None:
        self.finals: dict[str, float] = {}
        self.states: dict[str, str] = {}
        self.native_ids: dict[str, str] = {}
        self.logs: list[tuple[float, dict[str, Any]]] = []
        self._connected, self._closed = threading.Event(), False
        threading.Thread(target=self._listen, args=(client, watch), daemon=True).start()
        if not self._connected.wait(30):
            raise TimeoutError("bench: the event stream did not open")

    def close(self) -> None:
        """Takes effect with the next event."""
        self._closed = True

    def _listen(self, client: Client, watch: Sequence[str]) -> None:
        for event in client.events(watch):
            arrived = time.time()
            if self._closed:
                return
            if event.kind == "connected":
                self._connected.set()
            elif event.kind == "task":
                self._take_task(arrived, event.data)
            elif event.kind == "log":
                self.logs.append((arrived, event.data))

    def _take_task(self, arrived: float, task: dict[str, Any]) -> None:
        self.native_ids[task["id"]] = task.get("native_id") or ""
        if task["state"] in FINAL:
            self.finals.setdefault(task["id"], arrived)
        self.states[task["id"]] = task["state"]

    def queued_count(self) -> int:
        """How many tasks the batch system has accepted."""
        return sum(map(bool, list(self.native_ids.values())))

    def wait_final(self, tasks: Iterable[str], *, within: float) -> dict[str, float]:
        """When each of these tasks was final here."""
        wanted = set(tasks)
        wait_for(lambda: wanted <= set(self.finals), within=within)
        return {task: self.finals[task] for task in wanted}

    def wait_state(self, tasks: Iterable[str], state: str, *, within: float) -> None:
        wanted = set(tasks)
        wait_for(lambda: all(self.states.get(task) == state for task in wanted), within=within)
