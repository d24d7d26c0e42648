"""A small service that speaks the sync protocol on a real socket, to test the agent without a service."""

from __future__ import annotations

import contextlib
import io
import json
import socket
import tarfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlsplit

from diamond.core.events import CancelAsked, event_from
from diamond.core.follow_ups import begin_attempt
from diamond.core.ids import ATTEMPT, TASK, new_id
from diamond.core.lifecycle import step
from diamond.core.task import Task
from support.waiting import PATIENCE

KEY = "the-endpoint-key"
T = TypeVar("T")
StreamKey = tuple[str, str, int, str]


def eventually(find: Callable[[], T | None], *, seconds: float = PATIENCE, why: str = "") -> T:
    """The first true value of `find`."""
    end = time.monotonic() + seconds
    while True:
        value = find()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(why or f"not within {seconds} s: {find}")
        time.sleep(0.02)


@dataclass
class SyncService:
    """What the service knows, and what tests set."""

    generation: int = 0
    commands: list[dict[str, Any]] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    answers: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    events: list[dict[str, Any]] = field(default_factory=list)
    have: dict[str, int] = field(default_factory=dict)
    tasks: dict[str, Task] = field(default_factory=dict)
    task_jsons: dict[str, dict[str, Any]] = field(default_factory=dict)
    adopted: list[dict[str, Any]] = field(default_factory=list)
    streams: dict[StreamKey, bytearray] = field(default_factory=lambda: defaultdict(bytearray))
    starts: dict[StreamKey, int] = field(default_factory=dict)
    skipped: list[tuple[int, int]] = field(default_factory=list)
    blobs: dict[str, bytes] = field(default_factory=dict)
    images: list[dict[str, Any]] = field(default_factory=list)
    moves: list[dict[str, Any]] = field(default_factory=list)
    image_files: dict[str, bytes] = field(default_factory=dict)
    profile: dict[str, Any] = field(default_factory=dict)
    traffic: bytearray = field(default_factory=bytearray)
    """Every byte that an agent has sent."""
    hellos: list[dict[str, Any]] = field(default_factory=list)
    confirmed: set[str] = field(default_factory=set)
    questions_per_minute: float = 4.0
    is_confirmed: bool = True
    code: str = "a-pairing-code"
    blobs_asked: int = 0
    blobs_gate: threading.Event = field(default_factory=threading.Event)
    """While closed, it holds back the answer to `blobs`."""
    newer: dict[str, Any] = field(default_factory=dict)
    """Fields of a newer version, in each answer and each command."""
    bytes_seconds: float = 0.0
    """How long each call with bytes takes."""
    lock: threading.Condition = field(default_factory=threading.Condition)

    def __post_init__(self) -> None:
        self.port = 0
        self.blobs_gate.set()
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Serve, on the same port as before."""
        service = self

        class Handler(_Handler):
            state = service

        self._server = _Server(("127.0.0.1", self.port), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        """Stop answering, and cut every connection."""
        self._server.shutdown()
        self._server.server_close()
        self._server.cut()

    def submit(
        self,
        order: dict[str, Any],
        *,
        task: str = "",
        number: int = 1,
        signature: dict[str, Any] | None = None,
        continues: str = "",
    ) -> Task:
        """Submit a task to the agent; returns it as the service sees it."""
        task, attempt = task or new_id(TASK), new_id(ATTEMPT)
        full = {"name": "a-test", **order}
        self.task_jsons[task] = {
            "version": 1,
            "task": task,
            "job": "j1",
            "name": "a-test",
            "order": full,
            **({"signature": signature} if signature else {}),
            **({"continues": continues} if continues else {}),
        }
        self.tasks[task] = begin_attempt(self.tasks.get(task, Task(id=task)), attempt, number)
        self.send(
            "submit", task=task, attempt=attempt, number=number, task_json=self.task_jsons[task]
        )
        return self.tasks[task]

    def cancel(self, task: str) -> None:
        with self.lock:
            self.tasks[task], _ = step(self.tasks[task], CancelAsked(at=time.time()))
        self.send("cancel", task=task, attempt=self.tasks[task].attempt.id)

    def send(self, kind: str, **words: Any) -> str:
        command = {"id": new_id("c"), "type": kind, **words, **self.newer}
        with self.lock:
            self.commands.append(command)
            self.lock.notify_all()
        return str(command["id"])

    def ask(self, kind: str, **words: Any) -> tuple[str, bytes]:
        request = {"id": new_id("r"), "type": kind, **words}
        with self.lock:
            self.requests.append(request)
            self.lock.notify_all()
        return eventually(lambda: self.answers.get(request["id"]), why=f"no answer to {kind}")

    def until(self, task: str, *states: str, seconds: float = PATIENCE) -> Task:
        """Wait for a state (or phase) of a task."""

        def words() -> set[str]:
            return {self.tasks[task].state.value, self.tasks[task].phase.value}

        try:
            eventually(lambda: set(states) & words(), seconds=seconds)
        except AssertionError:
            told = [{k: v for k, v in e.items() if v not in ("", None)} for e in self.of(task)]
            raise AssertionError(f"{task} is {words()}, not {states}; received: {told}") from None
        return self.tasks[task]

    def of(self, task: str, kind: str = "") -> list[dict[str, Any]]:
        """The events received for a task."""
        return [e for e in self.events if e["task"] == task and kind in ("", e["type"])]

    def text(self, task: str, stream: str = "stdout", run: int = 1) -> str:
        """`stdout`, or `stdout.3` for rank 3's own output."""
        key = (task, self.tasks[task].attempt.id, run, stream)
        return bytes(self.streams.get(key, b"")).decode(errors="replace")

    def put_blob(self, content: bytes) -> str:
        digest = sha256(content).hexdigest()
        self.blobs[digest] = content
        return digest


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, *words: Any) -> None:
        self._open: list[socket.socket] = []
        super().__init__(*words)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.append(request)
        super().process_request(request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A cut connection is part of the tests."""

    def cut(self) -> None:
        for one in self._open:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    state: SyncService
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        parts = urlsplit(self.path)
        name = parts.path.removeprefix("/api/v1/sync/")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.state.traffic += body
        status, answer = self._answer(name, body, parse_qs(parts.query))
        if isinstance(answer, dict):
            answer = {**answer, **self.state.newer}
        content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        pass

    def _answer(self, name: str, body: bytes, query: dict[str, list[str]]) -> tuple[int, Any]:
        if name == "pair":
            return self._pair(json.loads(body))
        if self.headers["Authorization"] != f"Bearer {KEY}":
            return 401, {"code": "not-signed-in", "title": "no such key"}
        if not self.state.is_confirmed:
            return 403, {"code": "awaiting-confirmation", "title": "not confirmed"}
        if name != "hello" and int(self.headers["Diamond-Generation"] or 0) < self.state.generation:
            return 409, {"code": "generation-stale", "title": "a newer agent is active"}
        if name.startswith("answers/"):
            with self.state.lock:
                self.state.answers[name.removeprefix("answers/")] = (query["status"][0], body)
            return 200, {}
        handler: Callable[[bytes], Any] = getattr(self, f"_{name.replace('-', '_')}")
        return 200, handler(body)

    def _pair(self, message: dict[str, Any]) -> tuple[int, Any]:
        if message["code"] != self.state.code:
            return 400, {"code": "bad-request", "title": "no such code"}
        self.state.code = ""
        return 200, {"endpoint": "e1", "name": "alpha", "key": KEY, "confirmed": False}

    def _hello(self, body: bytes) -> Any:
        message, state = json.loads(body), self.state
        with state.lock:
            state.hellos.append(message)
            state.generation = max(state.generation, int(message["last_generation"])) + 1
            state.lock.notify_all()
            open_tasks = [t for t in state.tasks.values() if not t.is_final]
        return {
            "endpoint": "e1",
            "name": "alpha",
            "generation": state.generation,
            "now": time.time(),
            "open_tasks": [
                {"task": t.id, "attempt": t.attempt.id, "number": t.attempt.number}
                for t in open_tasks
            ],
            "status_questions_per_minute": state.questions_per_minute,
        }

    def _events(self, body: bytes) -> Any:
        message, state = json.loads(body), self.state
        with state.lock:
            have = state.have.get(message["epoch"], 0)
            fresh = [e for e in message["events"] if e["n"] > have]
            for data in fresh:
                self._take_event(data)
            state.have[message["epoch"]] = max([have, *(e["n"] for e in fresh)])
            state.lock.notify_all()
            unknown = {e["task"] for e in fresh if e["task"] not in state.tasks}
            return {"have": state.have[message["epoch"]], "unknown_tasks": sorted(unknown)}

    def _take_event(self, data: dict[str, Any]) -> None:
        state = self.state
        state.events.append({**data, "received": time.time()})
        task = state.tasks.get(data["task"])
        if task is not None:
            task, _ = step(task, event_from(data))
            state.tasks[task.id] = task
            if task.is_final:
                state.confirmed.add(task.id)

    def _adopt(self, body: bytes) -> Any:
        message = json.loads(body)
        task, newest = message["task_json"]["task"], message["attempts"][-1]
        with self.state.lock:
            self.state.adopted.append(message)
            known = begin_attempt(Task(id=task), newest["attempt"], newest["number"])
            self.state.tasks.setdefault(task, known)
        return {}

    def _commands(self, body: bytes) -> Any:
        message, state = json.loads(body), self.state
        generation = state.generation
        with state.lock:
            state.commands = [c for c in state.commands if c["id"] not in message["done"]]
            state.lock.wait_for(
                lambda: (
                    state.commands
                    or state.requests
                    or state.confirmed
                    or state.generation > generation
                ),
                timeout=min(message["wait"], 5),
            )
            requests, state.requests = state.requests, []
            closed, state.confirmed = sorted(state.confirmed), set()
        return {
            "commands": state.commands,
            "requests": requests,
            "closed": closed,
            "status_questions_per_minute": state.questions_per_minute,
        }

    def _bytes(self, body: bytes) -> Any:
        head, _, rest = body.partition(b"\n")
        have, position = [], 0
        time.sleep(self.state.bytes_seconds)
        with self.state.lock:
            for part in json.loads(head)["parts"]:
                have.append(self._take_part(part, rest[position : position + part["length"]]))
                position += part["length"]
            self.state.lock.notify_all()
        assert position == len(rest)
        return {"have": have}

    def _take_part(self, part: dict[str, Any], content: bytes) -> int:
        state = self.state
        stream = f"{part['stream']}.{part['rank']}" if part["rank"] else part["stream"]
        key = (part["task"], part["attempt"], part["run"], stream)
        stands = state.starts.get(key, 0) + len(state.streams[key])
        if part["skipped"] and part["offset"] > stands:
            state.skipped.append((stands, part["offset"]))
            state.starts[key] = part["offset"] - len(state.streams[key])
        elif part["offset"] != stands:
            return stands
        state.streams[key] += content
        return int(part["offset"]) + len(content)

    def _blobs(self, body: bytes) -> bytes:
        self.state.blobs_asked += 1
        self.state.blobs_gate.wait(PATIENCE)
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w") as archive:
            for digest in json.loads(body)["digests"]:
                name = digest.rpartition(":")[2]
                entry = tarfile.TarInfo(name)
                entry.size = len(self.state.blobs[name])
                archive.addfile(entry, io.BytesIO(self.state.blobs[name]))
        return buffer.getvalue()

    def _images(self, body: bytes) -> Any:
        self.state.images = json.loads(body)["items"]
        return {}

    def _moves(self, body: bytes) -> Any:
        with self.state.lock:
            self.state.moves += json.loads(body)["items"]
        return {}

    def _image_part(self, body: bytes) -> bytes:
        wanted = json.loads(body)
        return self.state.image_files[wanted["sha256"]][wanted["offset"] :]

    def _profile(self, body: bytes) -> Any:
        self.state.profile = json.loads(body)
        return {}
