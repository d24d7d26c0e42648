"""A process of somebody else on the node, while the ranks of a job that uses data frames meet."""

from __future__ import annotations

import contextlib
import json
import socket
from pathlib import Path

from support.framing import make_data, start_rank
from support.waiting import wait_for


def test_whoever_does_not_know_the_key_is_kept_out(tmp_path: Path) -> None:
    """A neighbour on the node finds the port while the ranks are still meeting."""
    data = make_data(tmp_path / "data")
    first = start_rank(0, 2, tmp_path, "fault", data, "none")
    wait_for(lambda: list(tmp_path.glob(".frames-*.json")))
    [file] = tmp_path.glob(".frames-*.json")
    assert file.stat().st_mode & 0o077 == 0
    port = json.loads(file.read_text())["port"]
    silent = socket.create_connection(("127.0.0.1", port))
    for hello in (b"GET / HTTP/1.1\r\n\r\n" + bytes(60), b"frames 1" + bytes(36) + bytes(32)):
        with socket.create_connection(("127.0.0.1", port)) as stranger:
            stranger.sendall(hello)
            answer: list[bytes] = []
            with contextlib.suppress(ConnectionResetError):
                answer.extend(iter(lambda: stranger.recv(4096), b""))  # until it is closed
            assert not b"".join(answer).endswith(b"\x01")
    second = start_rank(1, 2, tmp_path, "fault", data, "none")
    for rank in (first, second):
        _, error = rank.communicate(timeout=60)
        assert rank.returncode == 0, error
    silent.close()
