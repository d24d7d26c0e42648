"""Forwards the sync protocol between an agent's pipes and the service; the endpoint's key stays here."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable
from typing import IO, Any

from diamond.cli.ssh_bootstrap import MARK
from diamond.core.errors import BadRequest, DiamondError
from diamond.core.sync_calls import find_call
from diamond.sdk.client_config import ServiceAddress
from diamond.sdk.transport import API, Response, Transport

NOISE_LIMIT = 1 << 20
WORKERS = 12


class Bridge:
    """Reads framed calls, forwards each in its own thread, and writes responses as they arrive."""

    def __init__(
        self,
        address: ServiceAddress,
        source: IO[bytes],
        target: IO[bytes],
        *,
        on_hello: Callable[[Response], None] = lambda response: None,
        say: Callable[[str], None] = lambda message: None,
    ) -> None:
        self.is_stale = False
        """A newer agent took over, so the endpoint is not offline."""
        self._transport = Transport(address, timeout=90)
        self._source, self._target = source, target
        self._on_hello, self._say = on_hello, say
        self._writing = threading.Lock()
        self._calls: queue.Queue[tuple[dict[str, Any], bytes]] = queue.Queue()

    def wait_for_agent(self) -> bool:
        """Skip output of the login shell; False if the pipe ended first."""
        skipped = 0
        while line := self._source.readline(65536):
            if line.endswith(MARK):
                return True
            skipped += len(line)
            if skipped > NOISE_LIMIT:
                return False
        return False

    def serve(self) -> None:
        """Serve until the agent's pipe ends; pending calls are left to finish."""
        for _ in range(WORKERS):
            threading.Thread(target=self._work, name="bridge", daemon=True).start()
        while head := self._read_head():
            self._calls.put((head, self._source.read(int(head.get("length", 0)))))

    def _work(self) -> None:
        while True:
            self._handle(*self._calls.get())

    def _read_head(self) -> dict[str, Any]:
        line = self._source.readline()
        try:
            head = json.loads(line) if line else {}
        except ValueError:
            self._say(f"invalid frame: {line[:200]!r}")
            return {}
        return head if isinstance(head, dict) else {}

    def _handle(self, head: dict[str, Any], body: bytes) -> None:
        call = str(head.get("call", ""))
        try:
            response = self._forward(call, head, body)
        except DiamondError as error:
            self._say(f"{call}: {error.message}")
            response = Response(error.status, {}, json.dumps(error.as_problem()).encode())
        self._note(call, response)
        self._respond(head.get("id"), response)

    def _forward(self, call: str, head: dict[str, Any], body: bytes) -> Response:
        known = find_call(call)
        if known is None or not known.needs_key:
            raise BadRequest(
                f"{call[:80]!r} is not a call that `diamond endpoint connect` forwards",
                "If the agent is newer than the diamond on this machine, upgrade diamond here.",
            )
        headers = {"Diamond-Protocol": "1"}
        if head.get("generation"):
            headers["Diamond-Generation"] = str(int(head["generation"]))
        query = str(head.get("query") or "")
        path = f"{API}/sync/{call}" + (f"?{query}" if query else "")
        return self._transport.forward(path, body, headers)

    def _note(self, call: str, response: Response) -> None:
        if response.status == 409 and b"generation-stale" in response.body:
            self.is_stale = True
        if call == "hello":
            self._on_hello(response)

    def _respond(self, number: object, response: Response) -> None:
        head = {"id": number, "status": response.status, "length": len(response.body)}
        try:
            with self._writing:
                self._target.write(json.dumps(head).encode() + b"\n" + response.body)
                self._target.flush()
        except (OSError, ValueError):
            return  # the reading side notices that the connection ended
