"""Whether a rank is connected is seen from outside."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from diamond.launchers.ranks.rank_contact import NEEDED_LOOKS, RankContact
from diamond.launchers.ranks.variables import sees_gpu

PROGRAM = """
import mmap, socket, sys
port, library, connects = int(sys.argv[1]), sys.argv[2], sys.argv[3] == "yes"
kept = open(library)
held = mmap.mmap(kept.fileno(), 0, prot=mmap.PROT_READ)
other = socket.create_connection(("127.0.0.1", port)) if connects else None
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., int]]:
    begun: list[subprocess.Popen[str]] = []

    def make(port: int, *, library: str, connects: bool) -> int:
        (tmp_path / library).write_text("text")
        words = [sys.executable, "-c", PROGRAM, str(port), str(tmp_path / library)]
        process = subprocess.Popen(
            [*words, "yes" if connects else "no"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        begun.append(process)
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        return process.pid

    yield make
    for process in begun:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.fixture
def port() -> Iterator[int]:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize(
    ("library", "connects", "connected", "alone"),
    [
        ("libtorch_cpu.so", True, True, False),
        ("libtorch_cpu.so", False, False, True),
        ("libother.so", False, False, False),
    ],
)
def test_a_rank_with_torch_that_never_connects_is_alone(
    start: Callable[..., int],
    port: int,
    library: str,
    *,
    connects: bool,
    connected: bool,
    alone: bool,
) -> None:
    contact = RankContact(start(port, library=library, connects=connects), port)
    for _ in range(NEEDED_LOOKS):
        assert not contact.is_alone
        contact.look()
    assert (contact.is_connected, contact.is_alone) == (connected, alone)


@pytest.mark.parametrize("hidden", ["", "-1", "NoDevFiles"])
def test_gpus_that_are_hidden_are_not_seen(hidden: str) -> None:
    assert not sees_gpu({"CUDA_VISIBLE_DEVICES": hidden})
