from __future__ import annotations

import json
import time
from typing import Any

import pytest

from diamond.service.output.metric_store import MOST_NAMES
from support.scene import Scene, new_scene
from support.service import RunningService


@pytest.fixture
def scene(service: RunningService) -> Scene:
    return new_scene(service)


def send(
    scene: Scene, task: str, attempt: str, data: bytes, *, offset: int = 0, stream: str = "metrics"
) -> int:
    part = {
        "task": task,
        "attempt": attempt,
        "run": 1,
        "rank": 0,
        "stream": stream,
        "offset": offset,
    }
    have: int = scene.agent.bytes((part, data))["have"][0]
    return have


def lines(*rows: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def test_points_are_read_from_lines_that_may_be_cut_anywhere(scene: Scene) -> None:
    task, attempt = scene.taken()
    data = lines({"step": 1, "time": 10.0, "loss": 0.5}, {"step": 2, "time": 11.0, "loss": 0.25})
    offset = send(scene, task, attempt, data[:45])
    send(scene, task, attempt, data[45:], offset=offset)
    items = scene.client.get(f"/tasks/{task}/metrics")["items"]
    assert [(one["name"], one["points"], one["thinned"]) for one in items] == [
        ("loss", [[1, 10.0, 0.5], [2, 11.0, 0.25]], False)
    ]


def test_a_loss_that_became_nan_is_kept_without_a_value(scene: Scene) -> None:
    task, attempt = scene.taken()
    data = b'{"step":1,"loss":0.5}\n{"step":2,"loss":NaN}\n{"step":3,"loss":null,"nonfinite":["loss"]}\n'
    send(scene, task, attempt, data)
    send(scene, task, attempt, b'{"step":4,"loss":Infinity}\n', stream="tensorboard")
    items = scene.client.get(f"/tasks/{task}/metrics?name=loss")["items"]
    assert [point[::2] for point in items[0]["points"]] == [
        [1, 0.5],
        [2, None],
        [3, None],
        [4, None],
    ]


def test_what_is_not_a_number_is_left_out_and_a_bad_line_is_noted_once(scene: Scene) -> None:
    task, attempt = scene.taken()
    data = b'{"step":1,"loss":null,"acc":0.5}\nnot json\n[1]\n{"step":2,"rank":3,"note":"x"}\n'
    offset = send(scene, task, attempt, data)
    send(scene, task, attempt, b"again bad\n", offset=offset)
    items = scene.client.get(f"/tasks/{task}/metrics")["items"]
    assert [(one["name"], one["points"]) for one in items] == [("acc", [[1, None, 0.5]])]
    notes = [
        one for one in scene.client.get(f"/tasks/{task}/history")["items"] if one["type"] == "note"
    ]
    assert [one["data"]["code"] for one in notes] == ["bad-metric-line"]


def test_a_flood_is_thinned_aloud(scene: Scene) -> None:
    task, attempt = scene.taken()
    offset = 0
    for start in range(0, 60_000, 20_000):
        rows = [{"step": step, "loss": 1.0} for step in range(start, start + 20_000)]
        offset = send(scene, task, attempt, lines(*rows), offset=offset)
    item = scene.client.get(f"/tasks/{task}/metrics?points=50000")["items"][0]
    assert item["thinned"]
    assert [point[0] for point in item["points"]] == list(range(0, 60_000, 2))
    notes = [
        one for one in scene.client.get(f"/tasks/{task}/history")["items"] if one["type"] == "note"
    ]
    assert [one["data"]["code"] for one in notes] == ["metrics-thinned"]


def test_names_without_number_are_left_out_aloud(scene: Scene) -> None:
    """30 000 names in one call stalled everyone for 27 s; on PostgreSQL 33 000 were an error for ever."""
    task, attempt = scene.taken()
    row = {"step": 1, **{f"n{number}": 1.0 for number in range(34_000)}}
    began = time.monotonic()
    offset = send(scene, task, attempt, lines(row))
    again = {"step": 2, "n1": 2.0, "late": 1.0}
    send(scene, task, attempt, lines(again), offset=offset)
    assert time.monotonic() - began < 20
    items = scene.client.get(f"/tasks/{task}/metrics")["items"]
    assert len(items) == MOST_NAMES
    assert [one["points"][-1][2] for one in items if one["name"] == "n1"] == [2.0]
    notes = [
        one for one in scene.client.get(f"/tasks/{task}/history")["items"] if one["type"] == "note"
    ]
    assert [one["data"]["code"] for one in notes] == ["metric-names-left-out"]
    assert f"more than {MOST_NAMES} different names" in notes[0]["message"]
    events = scene.client.events(f"?watch={task}&after=start")
    for _ in range(600):
        events.until("metric")
    position = events.until("metric").id
    events.close()
    assert len(position) < 16_000
    scene.client.events(f"?watch={task}&after={position}").until("ready")


def test_a_long_curve_is_drawn_with_its_peak(scene: Scene) -> None:
    task, attempt = scene.taken()
    rows = [
        {"step": step, "time": float(step), "loss": 9.0 if step == 7777 else 1.0}
        for step in range(10_000)
    ]
    send(scene, task, attempt, lines(*rows))
    item = scene.client.get(f"/tasks/{task}/metrics?points=100")["items"][0]
    assert len(item["points"]) <= 100
    assert item["thinned"]
    assert [7777, 7777.0, 9.0] in item["points"]


def test_usage_is_apart_from_metrics(scene: Scene) -> None:
    task, attempt = scene.taken()
    sample = {"time": 5.0, "cpu_percent": 50.0, "memory_mb": 100, "gpus": [{"percent": 90.0}]}
    send(scene, task, attempt, lines(sample), stream="usage")
    assert scene.client.get(f"/tasks/{task}/metrics")["items"] == []
    names = [one["name"] for one in scene.client.get(f"/tasks/{task}/usage")["items"]]
    assert names == ["cpu_percent", "gpu0_percent", "memory_mb"]
