"""Logs by offset: quickly, whole, and without drowning the service."""

from __future__ import annotations

import statistics
import time

from support.agents import AgentProcess
from support.sync_service import SyncService, eventually

MB = 2**20


def test_progress_bars_and_odd_bytes_survive(agent: AgentProcess, service: SyncService) -> None:
    task = service.submit({"command": r"printf '\033[31m10%%\r20%%\r\xff\xfe\0end\n'"})
    service.until(task.id, "succeeded")
    key = (task.id, task.attempt.id, 1, "stdout")
    assert eventually(lambda: bytes(service.streams[key])) == b"\033[31m10%\r20%\r\xff\xfe\0end\n"


def test_every_byte_of_a_long_log_arrives_once_and_in_order(
    agent: AgentProcess, service: SyncService
) -> None:
    task = service.submit({"command": "seq 1 800000"})
    service.until(task.id, "succeeded")
    expected = "".join(f"{n}\n" for n in range(1, 800_001))
    eventually(lambda: len(service.text(task.id)) == len(expected), seconds=30)
    assert service.text(task.id) == expected


def test_of_a_flood_head_and_tail_are_sent_and_the_middle_stays_here(
    agent: AgentProcess, service: SyncService
) -> None:
    size = 200 * MB
    task = service.submit({"command": f"head -c {size} /dev/zero; printf END"})
    service.until(task.id, "succeeded", seconds=40)
    key = (task.id, task.attempt.id, 1, "stdout")
    eventually(lambda: service.streams[key].endswith(b"END"), seconds=40)
    assert service.skipped and service.skipped[0][0] >= 8 * MB
    assert len(service.streams[key]) < 40 * MB
    status, middle = service.ask(
        "read-log", task=task.id, attempt=task.attempt.id, run=1, rank=0, stream="stdout",
        offset=100 * MB, length=10,
    )  # fmt: skip
    assert (status, middle) == ("ok", b"\0" * 10)


def test_a_line_is_home_within_half_a_second(agent: AgentProcess, service: SyncService) -> None:
    task = service.submit(
        {"command": 'for n in 1 2 3 4 5 6 7; do echo "$EPOCHREALTIME"; sleep 0.33; done'}
    )
    delays: list[float] = []
    for count in range(1, 8):
        eventually(lambda n=count: service.text(task.id).count("\n") >= n)  # type: ignore[misc]
        delays.append(time.time() - float(service.text(task.id).split()[count - 1]))
    assert statistics.median(delays) < 0.5, delays
