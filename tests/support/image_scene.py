"""Builds and images as a scripted agent reports them."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from support.scene import Scene

ENVIRONMENT = {"base": "docker://ubuntu:24.04", "commands": ["echo one", "echo two"]}


def record_of(number: int, **more: Any) -> dict[str, Any]:
    """The record of a built image."""
    digest = hashlib.sha256(str(number).encode()).hexdigest()
    return {
        "identity": f"sha256:{digest}",
        "format": "squashfs",
        "runtime": "apptainer",
        "sha256": digest[::-1],
        "size": 1000,
        "platform": "linux/amd64",
        "file": "/w/x.sqfs",
        "base": {"reference": "docker://ubuntu:24.04", "digest": "sha256:" + "1" * 64},
        "python": "3.12.3",
        "packages": {"python": {"numpy": "2.0"}, "system": {"bash": "5.2"}},
        "variables": {},
        "labels": {},
        "path": [],
        "native": "",
        "version": 1,
        "built": {"at": 1.0, "seconds": 5.0, "host": "n1", "user": "ada", "build": "a1"},
        **more,
    }


def image_of(record: dict[str, Any]) -> dict[str, Any]:
    """As an order names it."""
    names = ["identity", "sha256", "format"]
    if record["format"] != "venv":
        names += ["variables", "path"]
    return {name: record[name] for name in names}


def recipe_of(environment: dict[str, Any], **more: Any) -> dict[str, Any]:
    base = "sha256:" + "1" * 64
    given = {"base_digest": base, "lock": "", "platform": "linux/amd64", **more}
    return {"environment": environment, **given}


class BuildReporter:
    """Reports what a build reports, in the test's order."""

    def __init__(self, scene: Scene, task: dict[str, Any]) -> None:
        self.scene, self.task, self._offset = scene, task, 0

    def steps(self, *lines: dict[str, Any]) -> None:
        data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
        key = {"task": self.task["id"], "attempt": self.task["attempt"], "run": 1, "rank": 0}
        part = {**key, "stream": "steps", "offset": self._offset}
        self.scene.agent.bytes((part, data))
        self._offset += len(data)

    def starts(self) -> None:
        self._tell("submitted", native_id="7")
        self._tell("started", run=1, native_id="7", node="n1")

    def succeeds(self, record: dict[str, Any], environment: dict[str, Any]) -> None:
        self.starts()
        recipe = recipe_of(environment)
        self.steps({"event": "image", "record": record, "reused": False, "recipe": recipe})
        self._tell("exited", run=1, exit_code=0)

    def fails(self, *lines: dict[str, Any]) -> None:
        self.starts()
        self.steps(*lines)
        self._tell("exited", run=1, exit_code=1)
        self._tell("observed", status="ended", native_id="7", exit_code=1)

    def _tell(self, kind: str, **fields: Any) -> None:
        self.scene.tell(kind, self.task["id"], self.task["attempt"], **fields)


def start_build(scene: Scene, environment: dict[str, Any], **more: Any) -> Any:
    body = {"environment": environment, "endpoint": scene.name, **more}
    return scene.client.post("/images/builds", body)


def take_commands(scene: Scene) -> list[dict[str, Any]]:
    """All waiting commands, acknowledged."""
    found: list[dict[str, Any]] = scene.agent.commands()["commands"]
    scene.agent.commands(done=[one["id"] for one in found])
    return found


def built(scene: Scene, name: str, number: int, environment: dict[str, Any]) -> Any:
    """An image after a finished build."""
    answer = start_build(scene, environment, name=name)
    take_commands(scene)
    BuildReporter(scene, answer["build"]["task"]).succeeds(record_of(number), environment)
    return scene.client.get(f"/images/{name}")
