"""Small pipelines and studies that ask for an enormous amount of work. docs/security.md names them."""

from __future__ import annotations

import time
from typing import Any

import pytest

from support.scene import Scene, new_scene
from support.service import RunningService

AT_MOST_SECONDS = 15.0
"""On a busy machine."""
MANY = list(range(1000))
DEEP = "(" * 5000 + "1" + ")" * 5000
SPACE = {"lr": {"log": [1e-5, 1e-1]}}


@pytest.fixture
def scene(service: RunningService) -> Scene:
    return new_scene(service)


def rejected(scene: Scene, path: str, spec: dict[str, Any]) -> str:
    """It is rejected at once, in words, and the service still answers."""
    began = time.monotonic()
    answer = scene.client.call("POST", path, {"spec": {"name": "costly", "on": scene.name, **spec}})
    assert answer.status in (400, 413, 422), answer.body[:500]
    assert time.monotonic() - began < AT_MOST_SECONDS
    assert scene.client.get("/health")["ok"]
    return answer.body.decode()


@pytest.mark.parametrize(
    "stages",
    [
        {"a": {"run": "x {p}{q}{r}", "map": {"p": MANY, "q": MANY, "r": MANY}}},
        {f"s{n}": {"run": "x"} for n in range(201)},
        {f"s{n}": {"run": "x", "needs": [f"s{m}" for m in range(150)]} for n in range(150)},
        {"a": {"run": "x", "when": DEEP}},
        {"a": {"run": "x", "when": "9**9**9**9"}},
        {"a": {"run": "x", "retries": 10**30}},
        {"a": {"run": "x", "outputs": {"o": "../../../../etc"}}},
        {"../../a": {"run": "x"}},
    ],
    ids=["map", "stages", "needs", "deep", "power", "retries", "climbing", "name"],
)
def test_a_pipeline_that_would_never_end(scene: Scene, stages: dict[str, Any]) -> None:
    rejected(scene, "/pipelines", {"pipeline": stages})


@pytest.mark.parametrize(
    "study",
    [
        {"space": {"n": {"int": [1, 10**18]}}, "sampler": "grid"},
        {"space": {f"p{n}": {"int": [1, 100]} for n in range(20)}, "sampler": "grid"},
        {"space": {"lr": {"log": [0, float("inf")]}}},
        {"space": SPACE, "trials": 10**18},
        {"space": SPACE, "trials": 4, "repeats": 10**9},
        {"space": SPACE, "parallel": 10**12},
    ],
    ids=["range", "product", "infinite", "trials", "repeats", "parallel"],
)
def test_a_study_that_would_never_end(scene: Scene, study: dict[str, Any]) -> None:
    block = {"objective": {"loss": "minimize"}, **study}
    rejected(scene, "/studies", {"run": "x", "study": block})
