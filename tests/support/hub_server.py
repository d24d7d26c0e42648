"""A stand-in for the Hugging Face hub: the part of its HTTP protocol that fetching a revision takes.

The real one cannot be reached from here. Its answers were written after the hub's public API documentation.
"""

from __future__ import annotations

import hashlib
import json

from support.small_server import Reply, Request


class HubServer:
    """`answer` for `small_server.serving`."""

    def __init__(self, token: str = "") -> None:
        self.commits: dict[str, dict[str, bytes]] = {}
        self.names: dict[str, str] = {}
        self.token = token
        self.lfs = (".bin", ".parquet")
        self.page = 2
        self.tampered: set[str] = set()
        self.missing: set[str] = set()

    def commit(self, revision: str, files: dict[str, bytes]) -> str:
        name = hashlib.sha1(repr(sorted(files.items())).encode()).hexdigest()
        self.commits[name], self.names[revision] = files, name
        return name

    def answer(self, request: Request) -> Reply:
        if self.token and request.headers.get("authorization") != f"Bearer {self.token}":
            return Reply(b'{"error":"no"}', 401)
        parts = request.path.split("/")
        if parts[1] == "api":
            return self._api(request, parts)
        commit, path = parts[5], "/".join(parts[6:])
        if path in self.missing or path not in self.commits.get(commit, {}):
            return Reply(b"", 404)
        content = self.commits[commit][path]
        return Reply(b"X" + content[1:] if path in self.tampered else content)

    def _api(self, request: Request, parts: list[str]) -> Reply:
        what, name = parts[5], parts[6]
        commit = self.names.get(name, name)
        if commit not in self.commits:
            return Reply(b"{}", 404, {"X-Error-Message": f"Invalid rev id: {name}"})
        if what == "revision":
            return _json({"sha": commit, "lastModified": "2026-01-01T00:00:00.000Z"})
        entries = [self._entry(path, one) for path, one in sorted(self.commits[commit].items())]
        start = int(request.query.get("cursor", ["0"])[0])
        more = {}
        if start + self.page < len(entries):
            link = f"{request.path}?recursive=true&cursor={start + self.page}"
            more = {"Link": f'<{link}>; rel="next"'}
        return _json(entries[start : start + self.page], more)

    def _entry(self, path: str, content: bytes) -> dict[str, object]:
        blob = hashlib.sha1(f"blob {len(content)}\0".encode() + content).hexdigest()
        entry: dict[str, object] = {"type": "file", "path": path, "size": len(content), "oid": blob}
        if path.endswith(self.lfs):
            oid = hashlib.sha256(content).hexdigest()
            entry["lfs"] = {"oid": oid, "size": len(content), "pointerSize": 130}
        return entry


def _json(value: object, headers: dict[str, str] | None = None) -> Reply:
    return Reply(json.dumps(value).encode(), 200, headers or {})
