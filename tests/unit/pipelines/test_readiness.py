"""What may happen next, from the states alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from diamond.core.errors import BadRequest
from diamond.pipelines.cache_key import CodeFile, Work, code_digest, key_of
from diamond.pipelines.conditions import is_true
from diamond.pipelines.graph import Axis, Graph, Output, Stage
from diamond.pipelines.items import expand
from diamond.pipelines.readiness import StepState, is_over, moves, outcome
from diamond.pipelines.references import Reference

OUT = {"y": Output("y", "y")}
GRAPH = Graph(
    {
        "a": Stage("a", outputs=OUT),
        "b": Stage("b", texts=("{a.y}",), outputs=OUT),
        "c": Stage("c", needs=("a",), outputs=OUT),
        "m": Stage("m", axes=(Axis("i", source=Reference("a", "y")),), outputs=OUT),
        "e": Stage("e", texts=("{m.y}",), each_of="m", outputs=OUT),
        "g": Stage("g", texts=("{e.y}",)),
    }
)


def next_moves(**states: str | list[str]) -> set[str]:
    """`g` has no map, so its step is there from the start."""
    steps = _steps({"g": "waiting", **states})
    return {f"{move.act} {move.stage} {move.index}" for move in moves(GRAPH, steps)}


def _steps(states: Mapping[str, str | list[str]]) -> dict[str, dict[int, StepState]]:
    return {
        name: {n: StepState(one) for n, one in enumerate([some] if isinstance(some, str) else some)}
        for name, some in states.items()
    }


def test_first_what_needs_nothing() -> None:
    assert next_moves(a="waiting", b="waiting", c="waiting") == {"start a 0"}


def test_then_what_it_made_possible() -> None:
    assert next_moves(a="done", b="waiting", c="waiting") == {
        "start b 0",
        "start c 0",
        "expand m 0",
    }
    assert next_moves(a="cached", b="running", c="done", m=["done", "running"]) == {"expand e 0"}


def test_each_step_waits_for_its_own_alone() -> None:
    found = next_moves(
        a="done", b="done", c="done", m=["done", "running"], e=["waiting"] * 2, g="waiting"
    )
    assert found == {"start e 0"}


def test_a_failure_stops_what_depends_on_it_alone() -> None:
    found = next_moves(
        a="done", b="failed", c="waiting", m=["failed", "done"], e=["waiting"] * 2, g="waiting"
    )
    assert found == {"start c 0", "stop e 0", "start e 1"}


def test_what_reads_from_a_skipped_stage_is_skipped_but_not_what_only_waits_for_it() -> None:
    found = next_moves(a="skipped", b="waiting", c="waiting")
    assert found == {"skip b 0", "start c 0", "skip m 0"}


def test_the_end() -> None:
    ends = _steps({"a": "done", "b": "failed", "c": "done", "m": "done", "e": "done", "g": "done"})
    assert is_over(GRAPH, ends) and outcome(ends) is StepState.FAILED
    assert not is_over(GRAPH, {**ends, "g": {0: StepState.RUNNING}})
    assert not is_over(GRAPH, {name: some for name, some in ends.items() if name != "g"})


def test_maps_make_every_combination() -> None:
    axes = [Axis("a", values=(1, 2)), Axis("b", source=Reference("x", "y"))]
    assert expand(axes, {"b": ["u", "v"]})[1:3] == [{"a": 1, "b": "v"}, {"a": 2, "b": "u"}]
    with pytest.raises(BadRequest, match="2000 steps"):
        expand(axes, {"b": list(range(1000))})


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("{t.score} > 0.9", True),
        ("0.5 < {t.score} <= 0.95 and not {quick}", True),
        ("{name} in ['tcn', 'gru']", False),
        ("{name} == 'x{y}' or {t.score} < -1", False),
        ("{missing} == null", True),
    ],
)
def test_conditions(condition: str, expected: bool) -> None:
    values = {"t.score": 0.95, "quick": False, "name": "lstm"}
    assert is_true(condition, values) is expected


@pytest.mark.parametrize(
    "condition",
    [
        "().__class__",
        "{a}.b",
        "open('x')",
        "1 if 1 else 2",
        "[x for x in {a}]",
        "9**9",
        "(" * 400,
        "",
    ],
)
def test_a_condition_is_no_program(condition: str) -> None:
    with pytest.raises(BadRequest):
        is_true(condition, {"a": 1})


def test_values_that_cannot_be_compared_are_an_error() -> None:
    with pytest.raises(BadRequest, match="cannot be decided"):
        is_true("{a} > 1", {"a": "text"})


def test_the_key_is_of_the_work_alone() -> None:
    work = Work("run {x}", "", {"x": 1}, "c", None, {"i": "d"}, {"y": ["y", "files"]})
    assert key_of(work) == key_of(Work(**vars(work)))
    changed: list[dict[str, Any]] = [
        {"params": {"x": 2}},
        {"code": "d"},
        {"inputs": {"i": "e"}},
        {"environment": {"requirements": ["torch"]}},
        {"command": "run"},
        {"outputs": {}},
    ]
    keys = {key_of(Work(**{**vars(work), **change})) for change in changed}
    assert len(keys | {key_of(work)}) == len(changed) + 1


def test_code_counts_without_the_spec_and_by_the_files_that_a_stage_names() -> None:
    files = [CodeFile("a.py", "1"), CodeFile("lib/b.py", "2"), CodeFile("diamond.yaml", "3")]
    edited = [*files[:2], CodeFile("diamond.yaml", "4")]
    assert code_digest(files, without="diamond.yaml") == code_digest(edited, without="diamond.yaml")
    assert code_digest(files) != code_digest(edited)
    other = [CodeFile("a.py", "9"), *files[1:]]
    assert code_digest(files, only=["lib/"]) == code_digest(other, only=["lib/"])
    assert code_digest(files, only=["*.py"]) != code_digest(other, only=["*.py"])
