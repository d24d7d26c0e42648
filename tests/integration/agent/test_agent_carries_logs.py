"""Logs by offset: quickly, whole, and without drowning the service."""

from __future__ import annotations

import json
from typing import Any

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
    eventually(lambda: len(service.text(task.id)) == len(expected))
    assert service.text(task.id) == expected


def test_of_a_flood_head_and_tail_are_sent_and_the_middle_stays_here(
    agent: AgentProcess, service: SyncService
) -> None:
    size = 200 * MB
    task = service.submit({"command": f"head -c {size} /dev/zero; printf END"})
    service.until(task.id, "succeeded")
    key = (task.id, task.attempt.id, 1, "stdout")
    eventually(lambda: service.streams[key].endswith(b"END"))
    assert service.skipped and service.skipped[0][0] >= 8 * MB
    assert len(service.streams[key]) < 40 * MB
    status, middle = service.ask(
        "read-log",
        task=task.id,
        attempt=task.attempt.id,
        run=1,
        rank=0,
        stream="stdout",
        offset=100 * MB,
        length=10,
    )
    assert (status, middle) == ("ok", b"\0" * 10)


def test_the_middle_of_a_log_is_searched_where_it_lies(
    agent: AgentProcess, service: SyncService
) -> None:
    task = service.submit({"command": "seq -f 'line %06g' 1 200000"})
    service.until(task.id, "succeeded")
    line = len("line 000001\n")

    def search(text: str, start: int, end: int) -> dict[str, Any]:
        status, body = service.ask(
            "search-log",
            task=task.id,
            attempt=task.attempt.id,
            run=1,
            rank=0,
            stream="stdout",
            text=text,
            case=False,
            limit=3,
            start=start,
            end=end,
        )
        assert status == "ok", body
        return dict(json.loads(body))

    found = search("LINE 1500", 1000 * line, 190_000 * line + 5)
    assert [one["text"] for one in found["items"]] == ["line 150000", "line 150001", "line 150002"]
    assert found["next"] == 150_002 * line
    assert found["items"][0]["offset"] == 149_999 * line
    # A line that goes over the end is looked at as a whole.
    edge = search("190001", 189_990 * line, 190_000 * line + 5)
    assert [one["text"] for one in edge["items"]] == ["line 190001"]
    assert search("nothing", 0, 200_000 * line) == {"items": [], "next": 200_000 * line}


def test_a_line_is_home_while_the_program_still_runs(
    agent: AgentProcess, service: SyncService
) -> None:
    task = service.submit({"command": "echo said; until [ -e go ]; do sleep 0.05; done"})
    assert eventually(lambda: service.text(task.id)) == "said\n"
    assert not (agent.attempt_folder(task.id) / "runs/1/exit").exists()
    (agent.work / "tasks" / task.id / "run" / "go").touch()
    service.until(task.id, "succeeded")
