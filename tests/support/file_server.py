"""A real HTTP server of files: ranges, ETags, and connections that break where a test wants it."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit


@dataclass
class ServedFile:
    content: bytes
    etag: str = ""
    """'' for one by its content; `none` for none."""
    needs: str = ""
    """The Authorization that opens it."""
    location: str = ""
    """Leads on to there."""

    @property
    def mark(self) -> str:
        if self.etag == "none":
            return ""
        return self.etag or f'"{hashlib.md5(self.content).hexdigest()}"'


@dataclass
class FileServer:
    files: dict[str, ServedFile] = field(default_factory=dict)
    cuts: list[int] = field(default_factory=list)
    """For each next answer with a body: break off after so many bytes."""
    has_ranges: bool = True
    seen: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    """Method, path and headers of every request."""
    url: str = ""

    def put(self, path: str, content: bytes, **more: Any) -> str:
        self.files[path] = ServedFile(content, **more)
        return f"{self.url}{path}"

    def sent_ranges(self) -> list[str]:
        return [headers["range"] for _, _, headers in self.seen if "range" in headers]


@contextmanager
def file_server() -> Iterator[FileServer]:
    state = FileServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self._answer(with_body=False)

        def do_GET(self) -> None:
            self._answer(with_body=True)

        def log_message(self, format: str, *args: Any) -> None:
            return

        def _answer(self, *, with_body: bool) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            path = unquote(urlsplit(self.path).path)
            state.seen.append((self.command, path, headers))
            file = state.files.get(path)
            if file is None:
                self._status(404)
                return
            if file.needs and headers.get("authorization") != file.needs:
                self._status(401)
                return
            if file.location:
                self._status(302, {"Location": file.location})
                return
            start, status = self._start(file, headers)
            content = file.content[start:]
            more = {"ETag": file.mark} if file.mark else {}
            if status == 206:
                end, size = len(file.content) - 1, len(file.content)
                more["Content-Range"] = f"bytes {start}-{end}/{size}"
            self.send_response(status)
            for name, value in more.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if with_body:
                cut = state.cuts.pop(0) if state.cuts else len(content)
                self.wfile.write(content[:cut])
                self.close_connection = cut < len(content)

        def _start(self, file: ServedFile, headers: dict[str, str]) -> tuple[int, int]:
            match = re.fullmatch(r"bytes=(\d+)-", headers.get("range", ""))
            is_same = headers.get("if-range", file.mark) == file.mark
            if match and is_same and state.has_ranges and int(match[1]) < len(file.content):
                return int(match[1]), 206
            return 0, 200

        def _status(self, status: int, headers: dict[str, str] | None = None) -> None:
            self.send_response(status)
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
