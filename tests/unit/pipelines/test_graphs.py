"""Stages, what they read, and every fault at once."""

from __future__ import annotations

from typing import Any

import pytest

from diamond.compose.pipeline_check import examine_pipeline, read_pipeline, trial_spec
from diamond.pipelines.critical import critical_path
from diamond.pipelines.references import references_in, rename_references, rename_words

CHAIN: dict[str, Any] = {
    "name": "forecast",
    "params": {"lr": 0.1},
    "resources": {"walltime": "5m"},
    "pipeline": {
        "prepare": {"run": "python prepare.py", "outputs": {"features": "out/features"}},
        "train": {
            "run": "python train.py {prepare.features} --model {model} --lr {lr}",
            "map": {"model": ["tcn", "gru"]},
            "outputs": {"model": "model", "score": {"path": "score.json", "kind": "value"}},
            "resources": {"cpus_per_task": 2},
        },
        "report": {"run": ["python", "report.py", "{train.model}"], "when": "{lr} < 1"},
    },
}


def faults(**stages: Any) -> dict[str, str]:
    _, found = examine_pipeline({"name": "p", "pipeline": stages})
    return {fault["field"]: f"{fault['message']} {fault['hint']}" for fault in found.items}


def test_references_make_the_order() -> None:
    graph = read_pipeline(CHAIN).graph
    assert graph.order == ["prepare", "train", "report"]
    assert graph.parents("train") == ["prepare"]
    assert graph.with_descendants(["train"]) == {"train", "report"}


def test_a_stage_adds_to_what_all_share() -> None:
    spec = trial_spec(read_pipeline(CHAIN), "train")
    assert spec["name"] == "forecast.train"
    assert spec["resources"] == {"walltime": "5m", "cpus_per_task": 2}
    assert spec["run"] == "python train.py {prepare_features} --model {model} --lr {lr}"
    assert spec["params"] == {"lr": 0.1, "model": "tcn", "prepare_features": "x"}
    assert "outputs" not in spec and "map" not in spec


def test_all_faults_are_found_at_once() -> None:
    found = faults(
        a={"run": "x {b.y} {c.nothing}", "outputs": {"y": "out", "z": "out/z"}},
        b={"run": "x {a.y}", "needs": ["prepair"], "outputs": {"y": "y"}},
        c={"run": "x {cc.y}", "map": {"n": []}, "outputs": {"y": "y"}},
        prepare={"run": "true", "when": "{b.y} > 1"},
    )
    assert "There is no stage 'prepair'" in found["pipeline.b.needs"]
    assert "Did you mean prepare?" in found["pipeline.b.needs"]
    assert "has no output 'nothing'" in found["pipeline.a.run"] and "y" in found["pipeline.a.run"]
    assert "There is no stage 'cc'" in found["pipeline.c.run"]
    assert "The list is empty" in found["pipeline.c.map.n"]
    assert "is in 'out'" in found["pipeline.a.outputs.z"]
    assert "not a value" in found["pipeline.prepare.when"]
    assert any("wait for each other: " in text and "→" in text for text in found.values())


@pytest.mark.parametrize(
    ("stage", "words"),
    [
        ({"run": "true", "outputs": {"y": "/etc"}}, "below the run directory"),
        ({"run": "true", "outputs": {"y": "a/../../b"}}, "below the run directory"),
        ({}, "runs nothing"),
        ({"run": "true", "code": "."}, "no code of its own"),
        ({"run": "true", "resources": {"nodes": "auto"}}, "Write a number"),
        ({"run": "true", "retries": 99}, "the maximum is 10"),
        ({"run": "true", "when": "__import__('os')"}, "neither a value nor in braces"),
        ({"run": "true", "when": "{lr} > 1"}, "There is no param 'lr'"),
        ({"run": "true", "map": {"a": [1] * 50, "b": [1] * 50}}, "2500 steps"),
        ({"run": "true", "map": "other"}, "There is no stage 'other'"),
        ({"run": "true", "inputs": {"x": "nothing"}}, "names no output"),
        ([], "mapping of fields"),
    ],
)
def test_a_wrong_stage_is_explained(stage: Any, words: str) -> None:
    assert words in " ".join(faults(one=stage).values())


def test_stages_share_an_allocation_or_are_jobs_of_their_own() -> None:
    raw = {
        "name": "p",
        "on": "delta",
        "account": "abc",
        "together": {"nodes": 2, "walltime": "4h"},
        "groups": {"gpu": {"on": "delta/gpu", "gpus_per_node": 4}},
        "pipeline": {
            "all": {"run": "true", "resources": {"cpus_per_task": 2}},
            "train": {"run": "true", "together": "gpu"},
            "alone": {"run": "true", "together": False},
        },
    }
    pipeline = read_pipeline(raw)
    assert [pipeline.group_of(name) for name in pipeline.stages] == ["together", "gpu", ""]
    assert pipeline.groups["gpu"].account == "abc", "as beside pipeline:"
    inside = trial_spec(pipeline, "all")
    assert inside["resources"] == {"walltime": "4h", "cpus_per_task": 2}
    assert trial_spec(pipeline, "train")["on"] == "delta/gpu"
    assert "resources" not in trial_spec(pipeline, "alone")
    assert read_pipeline({**CHAIN, "together": False}).groups == {}


def test_faults_of_groups_are_found_with_all_others() -> None:
    raw: dict[str, Any] = {
        "name": "p",
        "together": {"nodes": 0, "cpus": 3},
        "groups": {"used": {}, "unused": {}, "a b": {}},
        "pipeline": {
            "one": {"run": "true", "on": "delta"},
            "two": {"run": "true", "together": "usd"},
        },
    }
    found = {fault["field"]: fault["message"] + fault["hint"] for fault in faults_in(raw)}
    assert "'a b' is not a name" in found["groups"]
    del raw["groups"]["a b"]
    found = {fault["field"]: fault["message"] + fault["hint"] for fault in faults_in(raw)}
    assert "the minimum is 1" in found["together.nodes"]
    assert "cpus_per_node" in found["together.cpus"]
    assert "No stage" in found["groups.unused"]
    assert "Did you mean used?" in found["pipeline.two.together"]
    assert "says where that is" in found["pipeline.one.on"]


@pytest.mark.parametrize("together", [True, "gpu", 3, [1]])
def test_an_allocation_that_is_none_is_a_fault(together: Any) -> None:
    raw = {**CHAIN, "together": together}
    assert [fault["field"] for fault in faults_in(raw)] == ["together"]


def faults_in(raw: Any) -> list[dict[str, str]]:
    return examine_pipeline(raw)[1].items


def test_names_that_would_hide_each_other_are_faults() -> None:
    found = faults(
        a={"run": "true", "outputs": {"b_c": "1"}},
        a_b={"run": "true", "outputs": {"c": "1"}},
        both={"run": "x {a.b_c} {a_b.c}"},
        own={"run": "x {a.b_c}", "params": {"a_b_c": 1}},
    )
    assert "what a.b_c becomes" in found["pipeline.both"]
    assert "a param or data" in found["pipeline.own"]


def test_braces_of_other_languages_are_left_alone() -> None:
    text = """awk '{print x.y}' | python -c "print(f'{np.pi}')" ${HOME.x} {prepare.features:--data %}"""
    assert [str(one) for one in references_in(text, ["prepare"])] == ["prepare.features"]
    renamed = rename_references(text, lambda one: ["f"] if one.stage == "prepare" else None)
    assert renamed.endswith("{f:--data %}") and "{np.pi}" in renamed and "${HOME.x}" in renamed


def test_outputs_of_many_steps_become_many_words() -> None:
    assert rename_words(["r", "{t.m}"], lambda one: ["m_0", "m_1"]) == ["r", "{m_0}", "{m_1}"]
    assert rename_references("r {t.m}", lambda one: ["m_0", "m_1"]) == "r {m_0} {m_1}"


def test_the_critical_path_leads_to_what_ended_last() -> None:
    graph = read_pipeline(CHAIN).graph
    ends = {"prepare": 1.0, "train": 9.0, "report": 10.0}
    assert critical_path(graph, ends) == ["prepare", "train", "report"]
    assert critical_path(graph, {}) == []


def test_an_input_need_not_be_named_in_the_command() -> None:
    """The program finds it in $DIAMOND_INPUTS; a warning of an unused param would be wrong."""
    stages = {
        "train": {"run": "t", "map": {"lr": [1, 2]}, "outputs": {"w": "w"}},
        "report": {"run": "ls $DIAMOND_INPUTS", "inputs": {"models": "train.w"}},
        "named": {"run": "cat {models}", "inputs": {"models": "train.w"}},
    }
    pipeline = read_pipeline({"name": "p", "pipeline": stages})
    assert "params" not in trial_spec(pipeline, "report")
    assert list(trial_spec(pipeline, "named")["params"]) == ["models"]
