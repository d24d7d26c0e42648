"""Results of tasks on a machine with a scripted agent: what a real agent would report about a run directory."""

from __future__ import annotations

import hashlib
import io
from typing import Any

from diamond.data.manifest import FileEntry, write_manifest
from support.scene import Scene
from support.scripted_agent import ScriptedAgent


def ended_task(scene: Scene, **spec: Any) -> str:
    return finish(scene, *scene.taken(**spec))


def finish(scene: Scene, task: str, attempt: str) -> str:
    scene.tell("submitted", task, attempt, native_id="1")
    scene.tell("started", task, attempt, run=1, native_id="1", node="n1")
    scene.tell("exited", task, attempt, run=1, exit_code=0)
    scene.tell("observed", task, attempt, status="ended", native_id="1", run=1, exit_code=0)
    assert scene.task(task)["state"] == "succeeded"
    return task


def scan_command(agent: ScriptedAgent) -> dict[str, Any]:
    commands = agent.commands(wait=5)["commands"]
    agent.commands(done=[one["id"] for one in commands])
    return next(one for one in commands if one["type"] == "data" and one["act"] == "scan")


def read_result(scene: Scene, content: bytes) -> str:
    """The agent makes the manifest of one file, sends it, and reports the end of the scan."""
    command = scan_command(scene.agent)
    out = io.BytesIO()
    entry = FileEntry("model.pt", len(content), hashlib.sha256(content).hexdigest())
    summary = write_manifest([entry], out)
    manifest = out.getvalue()
    scene.agent.good(f"manifest-bytes/{summary.digest}?offset=0&size={len(manifest)}", manifest)
    report = {
        "name": command["scan"],
        "act": "scan",
        "state": "done",
        "tree": summary.digest,
        "size": len(content),
        "files": 1,
        "entries": 1,
        "path": command["path"],
    }
    scene.agent.good("data-reports", {"items": [report]})
    return summary.digest


def result_of(scene: Scene, content: bytes, **body: Any) -> tuple[str, str]:
    task = ended_task(scene)
    made = scene.client.post(f"/tasks/{task}/results", body or {"path": "artifacts"})
    assert made["state"] == "waiting"
    return task, read_result(scene, content)
