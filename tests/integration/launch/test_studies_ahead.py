"""A service that sleeps: agents hold points ahead, so that no slot is idle meanwhile, and nothing is lost or doubled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.stack import Stack
from support.waiting import wait_for

PROGRAM = """\
import json, os, pathlib, sys, time

place, seconds = pathlib.Path(sys.argv[2]), float(sys.argv[3])
began = time.time()
for step in range(1, 5):
    with open(os.environ["DIAMOND_METRICS"], "a") as file:
        file.write(json.dumps({"step": step, "accuracy": float(sys.argv[1]) * step / 4}) + "\\n")
    time.sleep(seconds / 4)
(place / os.environ["DIAMOND_TASK"]).write_text(f"{began} {time.time()}")
"""


def begin(stack: Stack, place: Path, seconds: float = 1.0, **study: Any) -> str:
    block = {
        "objective": {"accuracy": "maximize"},
        "space": {"lr": {"float": [0, 1]}},
        "sampler": "random",
        "parallel": 2,
        "ahead": "8h",
        **study,
    }
    spec = {
        "name": "ahead",
        "run": ["python3", "-c", PROGRAM, "{lr}", str(place), str(seconds)],
        "on": stack.name,
        "resources": {"memory": "100MB", "walltime": "5m"},
        "study": block,
    }
    return str(stack.client.post("/studies", {"spec": spec})["id"])


def spans(place: Path) -> list[tuple[float, float]]:
    """When each program ran."""
    read = [file.read_text().split() for file in place.iterdir()]
    return sorted((float(words[0]), float(words[1])) for words in read if len(words) == 2)


def held(stack: Stack, study: str) -> set[str]:
    """Tasks of the study whose order the agent has on disk."""
    trials = stack.client.get(f"/studies/{study}/trials?limit=200")["items"]
    tasks = {str(each["task"]) for each in trials if each["task"]}
    return {task for task in tasks if (stack.work / "tasks" / task / "task.json").exists()}


@pytest.mark.timeout(400)
@pytest.mark.slow
def test_while_the_service_is_away_slots_stay_busy_and_nothing_is_doubled(
    stack: Stack, tmp_path: Path
) -> None:
    """40 trials of 1 s on 2 slots. With trials of 24 minutes, this absence would last 8 hours."""
    study = begin(stack, tmp_path, trials=40)
    url = f"/studies/{study}"
    wait_for(lambda: len(held(stack, study)) == 40, what="all points to be handed out")
    wait_for(lambda: len(spans(tmp_path)) >= 3, what="some trials")
    stack.kill_service()
    wait_for(lambda: len(spans(tmp_path)) == 40, seconds=240, what="the trials")
    ran = spans(tmp_path)
    most = max(sum(a < end and began < b for a, b in ran) for began, end in ran)
    assert most <= 4, "no more than two at a time, as far as their ends overlap"
    stack.start_service()
    done = wait_for(
        lambda: found if (found := stack.client.get(url))["state"] == "done" else None,
        what="the study to be told all",
    )
    assert done is not None and done["counts"]["complete"] == 40 == done["asked"]
    trials = stack.client.get(f"{url}/trials?limit=200")["items"]
    assert sorted(each["number"] for each in trials) == list(range(40))
    assert all(each["values"] == [each["params"]["lr"]] for each in trials)
    assert {each["task"] for each in trials} == {file.name for file in tmp_path.iterdir()}
