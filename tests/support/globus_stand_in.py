"""A stand-in for the Globus Transfer service: the calls that globus-sdk makes, and copies between two folders."""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.small_server import Reply, Request, SmallServer, serving

TOKEN = "a-token-of-the-tests"


@dataclass
class GlobusStandIn:
    """Collections by id, each with the folder that is its root."""

    roots: dict[str, Path] = field(default_factory=dict)
    tasks: dict[str, dict[str, Any]] = field(default_factory=dict)
    spoil: bool = False
    """Change a byte of everything that passes."""
    server: SmallServer | None = None

    def collection(self, root: Path) -> str:
        key = str(uuid.uuid4())
        self.roots[key] = root
        return key

    @property
    def url(self) -> str:
        assert self.server is not None
        return self.server.url + "/"

    def answer(self, request: Request) -> Reply:
        if request.headers.get("authorization") != f"Bearer {TOKEN}":
            return _json({"code": "AuthenticationFailed", "message": "Token is not active"}, 401)
        path = request.path.rstrip("/").rpartition("/v0.10/")[2]
        if path == "submission_id":
            return _json({"value": str(uuid.uuid4())})
        if path == "transfer":
            return self._transfer(json.loads(request.body))
        if path.startswith("task/"):
            return _json(self.tasks[path.partition("/")[2]])
        return _json({"code": "NotFound", "message": path}, 404)

    def _transfer(self, wanted: dict[str, Any]) -> Reply:
        moved = 0
        for item in wanted["DATA"]:
            source = self._place(wanted["source_endpoint"], item["source_path"])
            goal = self._place(wanted["destination_endpoint"], item["destination_path"])
            moved += self._copy(source, goal)
        key = str(uuid.uuid4())
        self.tasks[key] = {
            "DATA_TYPE": "task",
            "task_id": key,
            "status": "SUCCEEDED",
            "bytes_transferred": moved,
        }
        return _json({"DATA_TYPE": "transfer_result", "code": "Accepted", "task_id": key}, 202)

    def _place(self, collection: str, path: str) -> Path:
        return self.roots[collection] / path.strip("/")

    def _copy(self, source: Path, goal: Path) -> int:
        if source.is_dir():
            return sum(self._copy(one, goal / one.name) for one in source.iterdir())
        goal.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, goal)
        if self.spoil:
            goal.write_bytes(b"!" + goal.read_bytes()[1:])
        return goal.stat().st_size


@contextmanager
def globus_stand_in() -> Iterator[GlobusStandIn]:
    made = GlobusStandIn()
    with serving(made.answer) as server:
        made.server = server
        yield made


def _json(value: dict[str, Any], status: int = 200) -> Reply:
    return Reply(json.dumps(value).encode(), status, {"Content-Type": "application/json"})
