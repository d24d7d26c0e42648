"""An OCI registry on loopback, and images pushed to it with plain HTTP."""

from __future__ import annotations

import hashlib
import json
import shutil
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.waiting import wait_for

_CONFIG = """\
version: 0.1
storage: {{filesystem: {{rootdirectory: {folder}}}}}
http: {{addr: "127.0.0.1:{port}"}}
"""
_MANIFEST = "application/vnd.oci.image.manifest.v1+json"


@dataclass(frozen=True)
class Registry:
    host: str

    def push(self, rootfs: Path, name: str, architecture: str = "amd64") -> str:
        """Push a tar of a root file system as `NAME:TAG`; returns the digest of its manifest."""
        repository, _, tag = name.partition(":")
        layer = rootfs.read_bytes()
        config = {
            "architecture": architecture,
            "os": "linux",
            "config": {"Env": ["FROM_BASE=yes"]},
            "rootfs": {"type": "layers", "diff_ids": [_digest(layer)]},
        }
        text = json.dumps(config).encode()
        for content in (layer, text):
            self._put_blob(repository, content)
        manifest = {
            "schemaVersion": 2,
            "mediaType": _MANIFEST,
            "config": _described(text, "application/vnd.oci.image.config.v1+json"),
            "layers": [_described(layer, "application/vnd.oci.image.layer.v1.tar")],
        }
        content = json.dumps(manifest).encode()
        self._call("PUT", f"{repository}/manifests/{tag}", content, _MANIFEST)
        return _digest(content)

    def _put_blob(self, repository: str, content: bytes) -> None:
        answer = self._call("POST", f"{repository}/blobs/uploads/", b"")
        mark = "&" if "?" in answer else "?"
        self._send(
            "PUT", f"{answer}{mark}digest={_digest(content)}", content, "application/octet-stream"
        )

    def _call(self, method: str, path: str, content: bytes, kind: str = "") -> str:
        return self._send(method, f"http://{self.host}/v2/{path}", content, kind)

    def _send(self, method: str, url: str, content: bytes, kind: str) -> str:
        headers = {"Content-Type": kind or "application/octet-stream"}
        request = urllib.request.Request(url, content, headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return str(answer.headers.get("Location", ""))


@contextmanager
def running_registry(folder: Path) -> Iterator[Registry]:
    program = shutil.which("docker-registry")
    if program is None:
        pytest.skip("docker-registry is not available here")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    config = folder / "registry.yml"
    config.write_text(_CONFIG.format(folder=folder / "registry", port=port))
    with (folder / "registry.log").open("wb") as log:
        process = subprocess.Popen([program, "serve", str(config)], stdout=log, stderr=log)
    try:
        wait_for(lambda: _answers(port), what="the registry")
        yield Registry(f"localhost:{port}")
    finally:
        process.terminate()
        process.wait()


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _described(content: bytes, kind: str) -> dict[str, str | int]:
    return {"mediaType": kind, "digest": _digest(content), "size": len(content)}


def _digest(content: bytes) -> str:
    return "sha256:" + hashlib.sha256(content).hexdigest()
