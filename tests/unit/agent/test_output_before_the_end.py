"""The end of a run is reported after its last lines: whoever waits for a task finds its metrics."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from diamond.agent.link.carriers import Link
from diamond.agent.output import collector as collecting
from diamond.agent.output.collector import OutputCollector
from diamond.agent.output.logs import Streams
from diamond.agent.tasks.attempts import Attempts

EXIT = {"type": "exited", "attempt": "a1", "run": 1}


class SlowLink:
    """Takes every byte, but only once it is let."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.have: dict[str, int] = {}

    def call(self, name: str, body: bytes, *, query: str = "", timeout: float = 30) -> bytes:
        self.open.wait(5)
        head, _, _ = body.partition(b"\n")
        parts = json.loads(head)["parts"]
        for part in parts:
            self.have[part["stream"]] = part["offset"] + part["length"]
        return json.dumps({"have": [part["offset"] + part["length"] for part in parts]}).encode()


def make(folder: Path, build: object = None) -> OutputCollector:
    order = SimpleNamespace(build=build, ranks=1)
    attempts = SimpleNamespace(
        known={"a1": SimpleNamespace(task="t1", attempt="a1")},
        folder=lambda state: SimpleNamespace(order=lambda: order),
    )
    streams = Streams()
    streams.follow("t1", "a1", 1, folder, is_build=build is not None)
    streams.ended("a1", 1, exit_seen=True)
    return OutputCollector(streams, cast("Attempts", attempts), threading.Event())


def send_until(collector: OutputCollector, link: SlowLink, done: threading.Event) -> None:
    while not done.is_set():
        if not collector.streams.send(cast("Link", link)):
            done.wait(0.01)


@pytest.mark.parametrize("build", [None, object()])
def test_the_end_waits_for_the_last_lines(tmp_path: Path, build: Any) -> None:
    (tmp_path / "metrics.jsonl").write_text('{"step": 1, "loss": 2}\n')
    (tmp_path / "stdout.log").write_text("done\n")
    (tmp_path / "steps.jsonl").write_text("{}\n")
    collector, link, done = make(tmp_path, build), SlowLink(), threading.Event()
    sender = threading.Thread(target=send_until, args=(collector, link, done))
    sender.start()
    threading.Timer(0.2, link.open.set).start()
    try:
        collector.wait_for_output([EXIT])
        wanted = {"steps"} if build else {"metrics", "stdout"}
        assert wanted <= set(link.have)
    finally:
        done.set()
        sender.join()


def test_but_not_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collecting, "OUTPUT_FIRST_SECONDS", 0.1)
    (tmp_path / "metrics.jsonl").write_text("{}\n")
    collector = make(tmp_path)
    began = time.monotonic()
    collector.wait_for_output([EXIT, {**EXIT, "attempt": "unknown"}, {**EXIT, "type": "started"}])
    assert time.monotonic() - began < 5
