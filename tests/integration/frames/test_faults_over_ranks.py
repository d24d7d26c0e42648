"""What goes wrong on one rank is an error on every rank, soon, and it says what and where."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import time
from pathlib import Path

import pytest

from support.framing import run_ranks, start_rank
from support.waiting import wait_for

FAULTS = {
    "schema": "the column 'b' is INTEGER in .*0.parquet, but DOUBLE in .*1.parquet",
    "missing": "no file, folder|no file in|nowhere",
    "value": "three",
    "header": r"1.csv has the columns \['b', 'a'\]",
    "differ": "Every rank must make the same calls|does something else",
    "null": "the column 'x' has 1 nulls",
    "leaves": "rank 1 is lost|have ended",
}


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_a_fault_is_an_error_on_all_ranks(data: Path, tmp_path: Path, fault: str) -> None:
    ranks = run_ranks(2, tmp_path, "fault", data, fault)
    for code, printed, error in ranks[: 1 if fault == "leaves" else 2]:
        assert code == 3, error
        assert_matches(FAULTS[fault], printed)


def test_a_killed_rank_ends_the_others_at_once(data: Path, tmp_path: Path) -> None:
    began = time.monotonic()
    *others, killed = run_ranks(4, tmp_path, "fault", data, "killed")
    assert killed[0] == -9
    for code, printed, error in others:
        assert code == 3, error
        assert printed.startswith("RankLost: rank")
        assert "rank 3 is lost" in printed
    assert time.monotonic() - began < 30


def test_a_rank_that_does_not_come_is_not_waited_for_forever(data: Path, tmp_path: Path) -> None:
    ranks = [start_rank(rank, 3, tmp_path, "fault", data, "absent") for rank in range(3)]
    try:
        for rank in ranks[:2]:
            printed, error = rank.communicate(timeout=60)
            assert rank.returncode == 3, error
            assert_matches(r"\[2\] did not take part in group|ranks? .* did not", printed)
    finally:
        for rank in ranks:
            rank.kill()
            rank.communicate()


def test_whoever_does_not_know_the_key_is_kept_out(data: Path, tmp_path: Path) -> None:
    """A neighbour on the node finds the port while the ranks are still meeting."""
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


def assert_matches(pattern: str, text: str) -> None:
    assert re.search(pattern, text), text
