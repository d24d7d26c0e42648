from __future__ import annotations

import random
from typing import Any

import pytest

from support.scene import Scene, new_scene
from support.service import RunningService

MB = 1 << 20


@pytest.fixture
def scene(service: RunningService) -> Scene:
    return new_scene(service)


def part(task: str, attempt: str, offset: int, **more: Any) -> dict[str, Any]:
    whole = {"task": task, "attempt": attempt, "run": 1, "rank": 0, "stream": "stdout"}
    return {**whole, "offset": offset, **more}


def read_all(scene: Scene, task: str, stream: str = "stdout") -> bytes:
    data, offset = b"", 0
    while True:
        answer = scene.client.call("GET", f"/tasks/{task}/logs/{stream}?offset={offset}")
        assert answer.status == 200, answer.body
        data += answer.body
        offset = int(answer.headers["diamond-next-offset"])
        if offset >= int(answer.headers["diamond-size"]):
            return data


def test_crumbs_come_together_without_loss_or_repeat(scene: Scene) -> None:
    task, attempt = scene.taken()
    chance = random.Random(1)
    log = chance.randbytes(300_000)
    offset = 0
    while offset < len(log):
        piece = log[offset : offset + chance.choice([1, 700, 20_000, 90_000])]
        assert scene.agent.bytes((part(task, attempt, offset), piece))["have"] == [
            offset + len(piece)
        ]
        again = scene.agent.bytes((part(task, attempt, offset), piece))["have"]
        offset += len(piece)
        assert again == [offset]
    assert read_all(scene, task) == log
    listed = scene.client.get(f"/tasks/{task}/logs")["items"]
    assert [(one["size"], one["kept"]) for one in listed] == [(len(log), [[0, len(log)]])]


def test_a_part_that_does_not_fit_is_not_taken_and_the_answer_says_where(scene: Scene) -> None:
    task, attempt = scene.taken()
    scene.agent.bytes((part(task, attempt, 0), b"abc"))
    assert scene.agent.bytes((part(task, attempt, 9), b"xyz"))["have"] == [3]
    assert read_all(scene, task) == b"abc"


def test_parts_of_one_call_follow_each_other_and_streams_stay_apart(scene: Scene) -> None:
    task, attempt = scene.taken()
    err = {**part(task, attempt, 0), "stream": "stderr"}
    sent = [
        (part(task, attempt, 0), b"abc"),
        (err, b"oops"),
        (part(task, attempt, 3), b"de"),
        (part(task, attempt, 9), b"lost"),
    ]
    assert scene.agent.bytes(*sent)["have"] == [3, 4, 5, 5]
    assert scene.agent.bytes((part(task, attempt, 5), b"f"))["have"] == [6]
    assert (read_all(scene, task), read_all(scene, task, "stderr")) == (b"abcdef", b"oops")


def test_a_negative_offset_counts_from_the_end(scene: Scene) -> None:
    task, attempt = scene.taken()
    scene.agent.bytes((part(task, attempt, 0), b"0123456789"))
    answer = scene.client.call("GET", f"/tasks/{task}/logs/stdout?offset=-3")
    assert (answer.body, answer.headers["diamond-offset"]) == (b"789", "7")


def test_head_and_tail_are_kept_and_the_middle_comes_from_the_cluster(scene: Scene) -> None:
    task, attempt = scene.taken()
    block = bytes(range(256)) * 4000
    log = b"".join(b"%06d" % number + block for number in range(20))
    for offset in range(0, len(log), MB):
        scene.agent.bytes((part(task, attempt, offset), log[offset : offset + MB]))
    (first, second) = scene.client.get(f"/tasks/{task}/logs")["items"][0]["kept"]
    assert (first[0], second[1]) == (0, len(log))
    assert 8 * MB <= first[1] < 9 * MB
    assert 8 * MB <= second[1] - second[0] < 9 * MB

    def reply(request: dict[str, Any]) -> tuple[bytes, bool]:
        assert request["type"] == "read-log"
        return log[request["offset"] : request["offset"] + request["length"]], True

    with scene.agent.answering(reply) as answering:
        assert read_all(scene, task) == log
        asked = [(one["offset"], one["offset"] + one["length"]) for one in answering.seen]
    assert (asked[0][0], asked[-1][1]) == (first[1], second[0])


def test_a_jump_ahead_leaves_a_gap_that_is_named(scene: Scene) -> None:
    task, attempt = scene.taken()
    scene.agent.bytes((part(task, attempt, 0), b"head"))
    scene.agent.bytes((part(task, attempt, 1000, skipped=True), b"tail"))
    listed = scene.client.get(f"/tasks/{task}/logs")["items"][0]
    assert (listed["size"], listed["kept"]) == (1004, [[0, 4], [1000, 1004]])
    events = scene.client.events(f"?watch={task}&after=start")
    try:
        assert events.until("log").data["text"] == "head"
        assert events.until("log").data["skipped"] == [4, 1000]
        assert events.until("log").data["text"] == "tail"
    finally:
        events.close()


def test_bytes_that_are_not_kept_need_the_endpoint(scene: Scene) -> None:
    task, attempt = scene.taken()
    scene.agent.bytes((part(task, attempt, 500, skipped=True), b"tail"))
    scene.client.post(f"/endpoints/{scene.name}/away")
    answer = scene.client.call("GET", f"/tasks/{task}/logs/stdout?offset=0")
    assert (answer.status, answer.json["code"]) == (503, "endpoint-away")
    assert "diamond endpoint start" in answer.json["hint"]


def test_bytes_of_an_unknown_task_are_asked_for_again(scene: Scene) -> None:
    told = scene.agent.bytes((part("tnobody234567", "a", 7), b"x"))
    assert told == {"have": [0], "unknown_tasks": ["tnobody234567"]}


def test_streams_of_runs_and_ranks_stay_apart(scene: Scene) -> None:
    task, attempt = scene.taken()
    scene.agent.bytes(
        (part(task, attempt, 0), b"run one"),
        (part(task, attempt, 0, run=2), b"run two"),
        (part(task, attempt, 0, stream="stderr"), b"errors"),
        (part(task, attempt, 0, rank=3), b"rank three"),
    )

    def read(query: str) -> bytes:
        return scene.client.call("GET", f"/tasks/{task}/logs/{query}").body

    assert read("stdout") == b"run two"
    assert read("stdout?run=1") == b"run one"
    assert read("stderr") == b"errors"
    assert read("stdout?rank=3") == b"rank three"


def test_where_the_logs_of_very_many_ranks_lie_is_said_with_their_folder(scene: Scene) -> None:
    ranks = {"resources": {"nodes": 4, "tasks_per_node": 32}, "launch": "per-rank"}
    task, attempt = scene.taken(**ranks)
    scene.agent.bytes((part(task, attempt, 0), b"all"))
    told = scene.client.get(f"/tasks/{task}/logs")
    assert (told["ranks"], told["carried_ranks"]) == (128, 64)
    assert "rank-64.stdout.log to rank-127.stdout.log" in told["words"]
    assert told["items"][0]["folder"] == f"/w/tasks/{task}/attempts/{attempt}/runs/1"


def test_of_one_rank_there_is_nothing_to_explain(scene: Scene) -> None:
    task, attempt = scene.taken()
    scene.agent.bytes((part(task, attempt, 0), b"all"))
    told = scene.client.get(f"/tasks/{task}/logs")
    assert (told["ranks"], told["words"]) == (1, "")
