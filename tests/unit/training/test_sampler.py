"""The sampler watches a real tree of processes and ends with it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import uuid
from pathlib import Path

from diamond.training.gpus import from_amd, from_nvidia, visible_indexes
from diamond.training.processes import is_alive, processes_from_ps, run_usage, tree_of, tree_usage
from diamond.training.sampler import OtherNodes, interval_after, main, summed
from support.waiting import wait_for

BUSY_CHILD = (
    "import subprocess, sys; subprocess.run([sys.executable, '-c',"
    " 'import time; held = bytearray(50_000_000)\\n"
    "while time.process_time() < 2: pass'])"
)


def test_lines_are_written_for_the_whole_tree_until_it_ends(tmp_path: Path) -> None:
    parent = subprocess.Popen([sys.executable, "-c", BUSY_CHILD])
    try:
        words = ["--run-folder", str(tmp_path), "--pid", str(parent.pid), "--interval", "0.5"]
        assert main(words) == 0
    finally:
        parent.wait()
    lines = [json.loads(line) for line in (tmp_path / "usage.jsonl").read_text().splitlines()]
    # On a busy machine the child gets a small share; the parent, which only waits, uses none.
    assert max(line["cpu_percent"] for line in lines) > 4
    assert max(line["memory_mb"] for line in lines) > 45
    assert isinstance(lines[0]["gpus"], list)


RANK = "import time; held = bytearray(50_000_000)\nwhile True: time.sleep(1)"


def started_elsewhere(attempt: str, node: str) -> subprocess.Popen[bytes]:
    """As a daemon of a batch system does it: its parent is not the batch script."""
    variables = {**os.environ, "DIAMOND_ATTEMPT": attempt, "DIAMOND_NODE_RANK": node}
    return subprocess.Popen([sys.executable, "-c", RANK], env=variables)


def test_processes_of_the_run_that_others_have_started_count_too(tmp_path: Path) -> None:
    waiting = subprocess.Popen(["sleep", "600"])
    attempt = f"a{uuid.uuid4().hex}"
    ranks = [started_elsewhere(attempt, node) for node in ("1", "1", "2")]
    given = {"DIAMOND_ATTEMPT": attempt, "DIAMOND_NODE_RANK": "1"}
    try:
        wait_for(lambda: run_usage(waiting.pid, given).memory_bytes > 95e6, what="two ranks")
        used = run_usage(waiting.pid, given)
        assert set(used.cpu_seconds) == {waiting.pid, ranks[0].pid, ranks[1].pid}
    finally:
        for process in [waiting, *ranks]:
            process.kill()
            process.wait()


def test_numbers_of_other_nodes_are_added_and_shown(tmp_path: Path) -> None:
    other = subprocess.Popen(["sleep", "600"])
    words = ["--run-folder", str(tmp_path), "--pid", str(other.pid), "--interval", "0.2"]
    sampler = subprocess.Popen(
        [sys.executable, "-m", "diamond.training.sampler", *words, "--node", "n2"]
    )
    try:
        wait_for((tmp_path / "usage" / "n2.json").exists, what="the numbers of n2")
    finally:
        other.kill()
        other.wait()
    assert sampler.wait(10) == 0
    left = json.loads((tmp_path / "usage" / "n2.json").read_text())
    found = OtherNodes(tmp_path / "usage").numbers(60)
    assert found == {"n2": left}
    line = summed({**left, "memory_mb": 10.0, "cpu_percent": 50.0}, found)
    assert line["memory_mb"] == 10.0 + left["memory_mb"]
    assert (line["n2/memory_mb"], line["cpu_percent"]) == (
        left["memory_mb"],
        50.0 + left["cpu_percent"],
    )
    assert OtherNodes(tmp_path / "usage").numbers(-1) == {}, "no news for too long"
    assert summed(left, {}) == left


def test_a_long_run_is_looked_at_less_often() -> None:
    assert [interval_after(elapsed, 10.0) for elapsed in (0, 600, 1800, 86400)] == [10, 10, 30, 60]


def test_a_process_that_has_ended_uses_nothing() -> None:
    ended = subprocess.Popen([sys.executable, "-c", "pass"])
    ended.wait()
    assert not is_alive(ended.pid)
    assert tree_usage(ended.pid).memory_bytes == 0


def test_this_process_is_alive() -> None:
    before = tree_usage(os.getpid())
    until = time.process_time() + 0.2
    while time.process_time() < until:
        pass
    assert is_alive(os.getpid())
    assert tree_usage(os.getpid()).cpu_percent_since(before) > 0


def test_ps_is_read_where_there_is_no_proc() -> None:
    processes = processes_from_ps(
        "    1     0 00:00:02  1000\n   20     1 1-02:03:04 2000\n   30    20 00:10.50 3000\nodd line\n"
    )
    assert tree_of(20, processes) == [20, 30]
    assert processes[20].cpu_seconds == 86400 + 2 * 3600 + 3 * 60 + 4
    assert processes[30].private_bytes == 3000 * 1024


def test_what_nvidia_says() -> None:
    assert from_nvidia("0, 87, 40123\n1, [N/A], 5\n") == [
        {"index": 0, "percent": 87.0, "memory_mb": 40123.0},
        {"index": 1, "percent": 0.0, "memory_mb": 5.0},
    ]


def test_what_amd_says() -> None:
    answer = {
        "card10": {"GPU use (%)": "7", "VRAM Total Used Memory (B)": str(2**20)},
        "card2": {
            "GPU use (%)": "55",
            "VRAM Total Memory (B)": "9",
            "VRAM Total Used Memory (B)": "0",
        },
        "system": {"Driver version": "6.2"},
    }
    assert from_amd(json.dumps(answer)) == [
        {"index": 2, "percent": 55.0, "memory_mb": 0.0},
        {"index": 10, "percent": 7.0, "memory_mb": 1.0},
    ]
    assert from_amd("no json") == []


def test_only_the_gpus_of_the_job_count() -> None:
    assert visible_indexes("2,3") == [2, 3]
    assert visible_indexes("GPU-8a7f") is None
    assert visible_indexes(None) is None
