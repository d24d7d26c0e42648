"""Data on a machine with a scripted agent: what a real agent would report about a folder."""

from __future__ import annotations

import hashlib
import io
from typing import Any

from diamond.data.manifest import FileEntry, sort_key, write_manifest
from support.scene import Scene

FILES = {"train/a.csv": b"x,y\n1,2\n", "train/b.csv": b"x,y\n3,4\n", "README.md": b"# Two tables\n"}


def manifest_of(files: dict[str, bytes]) -> tuple[str, bytes]:
    """The digest of a tree of these files, and its manifest."""
    entries = [
        FileEntry(path, len(files[path]), hashlib.sha256(files[path]).hexdigest())
        for path in sorted(files, key=sort_key)
    ]
    out = io.BytesIO()
    return write_manifest(entries, out).digest, out.getvalue()


def data_commands(scene: Scene) -> list[dict[str, Any]]:
    """What the agent is asked to do with data; it takes all of it, and leaves previews alone."""
    commands = scene.agent.commands(wait=2)["commands"]
    scene.agent.commands(done=[one["id"] for one in commands])
    return [one for one in commands if one["type"] == "data" and one["act"] != "preview"]


def report(scene: Scene, **fields: Any) -> None:
    scene.agent.good("data-reports", {"items": [fields]})


def finish_scan(scene: Scene, scan: str, files: dict[str, bytes], path: str = "/data") -> str:
    """The scan ends well; gives the digest."""
    digest, manifest = manifest_of(files)
    address = f"manifest-bytes/{digest}?offset=0&size={len(manifest)}"
    scene.agent.good(address, manifest)
    size = sum(map(len, files.values()))
    report(
        scene,
        name=scan,
        act="scan",
        state="done",
        tree=digest,
        path=path,
        layout="files",
        files=len(files),
        size=size,
        bytes=size,
    )
    return digest


def added(scene: Scene, name: str, files: dict[str, bytes] = FILES, **more: Any) -> Any:
    """A version of a dataset that lies on the scene's machine; gives the addition as it ended."""
    body = {"name": name, "endpoint": scene.name, "path": "/data", **more}
    addition = scene.client.post("/datasets", body)
    data_commands(scene)
    finish_scan(scene, addition["id"], files)
    return scene.client.get(f"/datasets/additions/{addition['id']}")
