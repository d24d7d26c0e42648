"""A large file is read once, and the person who waits is not given up on meanwhile."""

from __future__ import annotations

import io
import json
import os
import queue
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import BinaryIO, cast

import pytest

from diamond.agent import requests as answers
from diamond.agent.folders import Folders
from diamond.agent.guard.policy import Policy
from diamond.agent.output.digests import Digests
from diamond.agent.output.files import stat_file
from diamond.agent.requests import RequestHandler, RequestQueue
from diamond.agent.tasks.folders import TaskFolders
from diamond.agent.tasks.staging import Stager

BLOCKS = 3


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    (tmp_path / "work" / "tasks" / "t1" / "run").mkdir(parents=True)
    return tmp_path / "work" / "tasks" / "t1" / "run"


def write(path: Path, fill: bytes, *, age_seconds: float) -> None:
    path.write_bytes(fill * (BLOCKS << 20))
    changed = time.time() - age_seconds
    os.utime(path, (changed, changed))


def signs_while_reading(digests: Digests, run_dir: Path) -> int:
    signs: list[int] = []
    stat_file(run_dir, "model.pt", digests, lambda: signs.append(1))
    return len(signs)


def test_a_file_that_has_not_changed_is_read_once(run_dir: Path) -> None:
    digests = Digests()
    write(run_dir / "model.pt", b"a", age_seconds=60)
    first = stat_file(run_dir, "model.pt", digests)
    assert signs_while_reading(digests, run_dir) == 0
    assert stat_file(run_dir, "model.pt", digests) == first


def test_a_file_that_has_changed_is_read_again(run_dir: Path) -> None:
    digests = Digests()
    write(run_dir / "model.pt", b"a", age_seconds=60)
    first = stat_file(run_dir, "model.pt", digests)
    write(run_dir / "model.pt", b"b", age_seconds=30)
    assert signs_while_reading(digests, run_dir) == BLOCKS
    assert stat_file(run_dir, "model.pt", digests)["sha256"] != first["sha256"]


def test_the_digest_of_a_file_just_written_is_not_kept(run_dir: Path) -> None:
    digests = Digests()
    write(run_dir / "model.pt", b"a", age_seconds=0)
    stat_file(run_dir, "model.pt", digests)
    assert signs_while_reading(digests, run_dir) == BLOCKS


class WireTap:
    """A link that keeps what goes out."""

    generation = 1
    piece = 1 << 20

    def __init__(self) -> None:
        self.sent: queue.Queue[tuple[str, str, bytes]] = queue.Queue()

    def act_as(self, generation: int) -> None: ...

    def call(self, name: str, body: bytes, *, query: str = "", timeout: float = 30) -> bytes:
        self.sent.put((name, query, body))
        return b"{}"

    @contextmanager
    def fetch(self, name: str, body: bytes) -> Iterator[BinaryIO]:
        yield io.BytesIO(self.call(name, body))


def test_signs_of_life_go_out_while_a_large_file_is_read(
    run_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "SIGN_SECONDS", 0.0)
    write(run_dir / "model.pt", b"a", age_seconds=60)
    work = run_dir.parents[2]
    folders = Folders(keep=work.parent / "keep", work=work, tmp=work.parent / "tmp")
    handler = RequestHandler(
        folders, TaskFolders(folders), cast(Stager, SimpleNamespace()), Policy(folders.keep)
    )
    link = WireTap()
    answering = RequestQueue(handler, link)
    answering.start()
    answering.put({"id": "r1", "type": "stat-file", "task": "t1", "path": "model.pt"})
    sent = [link.sent.get(timeout=10) for _ in range(BLOCKS + 1)]
    assert sent[:BLOCKS] == [("answers/r1", "status=ok&more=1", b"")] * BLOCKS
    assert sent[-1][1] == "status=ok&more=0"
    assert json.loads(sent[-1][2])["size"] == BLOCKS << 20
