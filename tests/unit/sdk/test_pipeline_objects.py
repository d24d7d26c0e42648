"""Pipelines as Python objects, and functions as stages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from diamond.core.errors import BadRequest
from diamond.sdk.pipeline_calls import spec_file_in
from diamond.sdk.pipelines import Pipeline
from diamond.training.stages import arguments_of, call, stage


@stage({"features": "features.json"})
def prepare(rows: int) -> None:
    Path("features.json").write_text(str(rows))


@stage({"score": {"path": "out/score.json", "kind": "value"}}, resources={"cpus_per_task": 2})
def train(features: Path, models: list[Path], lr: float = 0.1) -> dict[str, Any]:
    return {"score": [features.read_text(), len(models), lr], "other": 1}


def test_objects_say_what_a_file_would_say() -> None:
    pipeline = Pipeline("p", on="delta", on_failure="stop")
    first = pipeline.add("first", run="true", outputs={"x": "x"})
    pipeline.add("second", run=["cat", first.x], needs=["first"])
    pipeline.add("third", run=f"cat {first.x}")
    assert pipeline.spec == {
        "name": "p",
        "on": "delta",
        "on_failure": "stop",
        "pipeline": {
            "first": {"run": "true", "outputs": {"x": "x"}},
            "second": {"run": ["cat", "{first.x}"], "needs": ["first"]},
            "third": {"run": "cat {first.x}"},
        },
    }
    with pytest.raises(AttributeError, match="no output 'y': it has x"):
        _ = first.y
    with pytest.raises(BadRequest, match="already"):
        pipeline.add("first", run="true")


def test_functions_get_outputs_as_inputs_and_the_rest_as_params() -> None:
    pipeline = Pipeline("p")
    made = pipeline.add(prepare, rows=3)
    several = pipeline.add("several", run="true", map={"n": [1, 2]}, outputs={"m": "m"})
    pipeline.add(train, features=made.features, models=several.m, lr=0.5)
    stages = pipeline.spec["pipeline"]
    target = f"{__name__}:prepare"
    assert stages["prepare"]["run"] == ["python3", "-m", "diamond.training.stages", target]
    assert stages["prepare"]["params"] == {"rows": 3}
    assert stages["train"]["inputs"] == {"features": "prepare.features", "models": "several.m"}
    assert stages["train"]["params"] == {"lr": 0.5}
    assert stages["train"]["resources"] == {"cpus_per_task": 2}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [({}, "needs 'rows'"), ({"row": 1}, "no argument 'row'")],
)
def test_wrong_arguments_are_found_at_once(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(BadRequest, match=words):
        Pipeline("p").add(prepare, **arguments)
    with pytest.raises(TypeError, match="put @stage"):
        Pipeline("p").add(lambda: None)


def test_a_stage_is_called_with_what_its_job_has(tmp_path: Path) -> None:
    inputs = tmp_path / "inputs"
    inputs.mkdir()
    (inputs / "features").write_text("abc")
    for n in range(2):
        (inputs / f"models_{n}").mkdir()
    call(train, inputs, {"lr": 0.5, "unused": 1}, tmp_path)
    assert json.loads((tmp_path / "out" / "score.json").read_text()) == ["abc", 2, 0.5]
    with pytest.raises(TypeError, match="train needs 'features'"):
        arguments_of(train, tmp_path, {})


def test_the_spec_counts_as_no_code_where_it_lies_in_it(tmp_path: Path) -> None:
    spec = tmp_path / "diamond.yaml"
    spec.write_text("")
    (tmp_path / "src").mkdir()
    assert spec_file_in(spec, ".", tmp_path) == "diamond.yaml"
    assert spec_file_in(tmp_path, None, tmp_path) == "diamond.yaml"
    assert spec_file_in(spec, "src", tmp_path) == ""
    assert spec_file_in({"pipeline": {}}, ".", tmp_path) == ""
