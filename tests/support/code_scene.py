"""People who send code and run it, each with a machine and a scripted agent."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from itertools import count
from typing import Any

from support.people import add_person
from support.scene import Scene
from support.scripted_agent import ScriptedAgent
from support.service import RunningService

_numbers = count(1)


def digest_of(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def tar_of(*contents: bytes, names: list[str] | None = None) -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        for content, name in zip(contents, names or map(digest_of, contents), strict=True):
            member = tarfile.TarInfo(name.removeprefix("sha256:"))
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return raw.getvalue()


def manifest_of(*programs: bytes) -> bytes:
    files = [
        {"path": f"{n}.py", "mode": "644", "size": len(each), "sha256": digest_of(each)[7:]}
        for n, each in enumerate(programs)
    ]
    return json.dumps({"version": 1, "files": files}).encode()


class Person:
    """A person with a machine of their own, and code on its way to it."""

    def __init__(self, service: RunningService, name: str) -> None:
        self.id, self.client = add_person(service, name)
        self.endpoint = f"c{next(_numbers)}"
        added = self.client.post("/endpoints", {"name": self.endpoint, "carrier": "local"})
        self.agent = ScriptedAgent(service.url, added["key"], epoch=self.endpoint)
        self.agent.hello()
        self.scene = Scene(service, self.client, self.agent, self.endpoint)

    def send(self, *contents: bytes) -> None:
        headers = {"Content-Type": "application/x-tar"}
        assert self.client.call("POST", "/blobs", tar_of(*contents), headers).status == 201

    def run(self, snapshot: str, **code: Any) -> Any:
        spec = {"name": "j", "run": "python 0.py", "on": self.endpoint}
        body = {"spec": spec, "code": {"snapshot": snapshot, **code}}
        return self.client.call("POST", "/jobs", body)

    def fetch(self, *digests: str) -> int:
        return self.agent.call("blobs", {"digests": list(digests)}).status
