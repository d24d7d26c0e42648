"""Speaks the sync protocol like an agent, one call at a time, controlled by a test."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from typing import Any

from diamond.core.protocol import VERSION
from support.http import Answer, Client
from support.waiting import PATIENCE

Reply = Callable[[dict[str, Any]], tuple[bytes, bool]]


class ScriptedAgent:
    def __init__(self, url: str, key: str, *, epoch: str = "e1", clock_off: float = 0.0) -> None:
        self.url, self.key, self.epoch, self.clock_off = url, key, epoch, clock_off
        self.generation = 0
        self.numbers = 0

    @property
    def now(self) -> float:
        return time.time() + self.clock_off

    def hello(self, **more: Any) -> Any:
        told = {
            "agent_version": "0.1.0",
            "protocol": VERSION,
            "host": "login1",
            "user": "ada",
            "pid": 1,
            "python": "3.9",
            "epoch": self.epoch,
            "last_generation": self.generation,
            "stays": "resident",
            "now": self.now,
            "folders": {"keep": "/k", "work": "/w", "tmp": "/t"},
            **more,
        }
        answer = self.call("hello", told)
        assert answer.status == 200, answer.body
        self.generation = answer.json["generation"]
        return answer.json

    def tell(self, *events: dict[str, Any]) -> Any:
        """Send events; each gets the next number and the agent's time."""
        numbered = [self._numbered(event) for event in events]
        return self.good("events", {"epoch": self.epoch, "now": self.now, "events": numbered})

    def commands(self, done: list[str] | None = None, wait: float = 0) -> Any:
        return self.good("commands", {"done": done or [], "wait": wait, "now": self.now})

    def bytes(self, *parts: tuple[dict[str, Any], bytes]) -> Any:
        line = {"parts": [{**part, "length": len(data)} for part, data in parts]}
        body = json.dumps(line).encode() + b"\n" + b"".join(data for _, data in parts)
        return self.good("bytes", body)

    def good(self, path: str, body: Any) -> Any:
        answer = self.call(path, body)
        assert answer.status == 200, (answer.status, answer.body)
        return answer.json

    def call(self, path: str, body: Any) -> Answer:
        headers = {"Diamond-Protocol": "1", "Diamond-Generation": str(self.generation)}
        return Client(self.url, self.key, headers).call("POST", f"/sync/{path}", body)

    def answering(self, reply: Reply) -> Answering:
        """Answers requests in the background while a test makes calls."""
        return Answering(self, reply)

    def _numbered(self, event: dict[str, Any]) -> dict[str, Any]:
        self.numbers += 1
        return {"n": self.numbers, "at": self.now, **event}


class Answering:
    def __init__(self, agent: ScriptedAgent, reply: Reply) -> None:
        self._agent, self._reply = agent, reply
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.seen: list[dict[str, Any]] = []

    def __enter__(self) -> Answering:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._ends.set()
        self._thread.join(PATIENCE)

    def _run(self) -> None:
        while not self._ends.is_set():
            for request in self._agent.commands(wait=0.5)["requests"]:
                self.seen.append(request)
                body, ok = self._reply(request)
                status = "ok" if ok else "error"
                self._agent.call(f"answers/{request['id']}?status={status}", body)
