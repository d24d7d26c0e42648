"""References of a step become data by digest and params by value."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from diamond.core.errors import BadRequest
from diamond.data.manifest import FileEntry, write_manifest
from diamond.pipelines.readiness import StepState
from diamond.service.pipelines.bind import bind, should_run
from diamond.service.pipelines.board import Board, new_step
from diamond.service.pipelines.look import parse_value, top_names
from diamond.service.pipelines.rows import PipelineRow, StepOutput

SPEC: dict[str, Any] = {
    "name": "p",
    "params": {"lr": 1},
    "pipeline": {
        "prepare": {"run": "true", "outputs": {"f": "f", "n": {"path": "n", "kind": "value"}}},
        "train": {
            "run": "t {prepare.f} {prepare.n:--n %}",
            "map": {"m": ["a", "b"]},
            "inputs": {"given": "prepare.f"},
            "outputs": {"w": "w", "s": {"path": "s", "kind": "value"}},
        },
        "each": {"run": ["e", "{train.w}"], "map": "train", "when": "{train.s} > 1"},
        "all": {"run": ["g", "{train.w}", "x={train.s}"]},
    },
}


@pytest.fixture
def board() -> Board:
    row = PipelineRow(
        id="f1",
        owner="u",
        project="",
        name="p",
        spec=SPEC,
        code=None,
        spec_file="",
        forced=(),
        pilots={},
        state="running",
        message="",
        created=0,
        updated=0,
        ended=None,
        version=1,
    )
    done = StepState.DONE
    first = replace(new_step(row, "prepare", 0, {}), state=done, task="t0")
    first = replace(first, outputs={"f": StepOutput("aa", "f", 1, 1), "n": StepOutput(value=7)})
    steps = [first]
    for n, item in enumerate(("a", "b")):
        outputs = {"w": StepOutput(f"b{n}"), "s": StepOutput(value=n + 1)}
        step = replace(new_step(row, "train", n, {"m": item}), state=done, task=f"t{n + 1}")
        steps.append(replace(step, outputs=outputs))
        steps.append(new_step(row, "each", n, {"m": item}))
    return Board.of(row, [*steps, new_step(row, "all", 0, {})])


def test_a_step_is_an_ordinary_spec(board: Board) -> None:
    bound = bind(board, board.steps["train", 1])
    assert bound.spec["run"] == "t {prepare_f} {prepare_n:--n %}"
    assert bound.spec["params"] == {"lr": 1, "m": "b", "prepare_n": 7}
    tree = {"tree": "sha256:aa", "file": "f"}
    assert bound.spec["data"] == {"prepare_f": tree, "given": tree}
    assert bound.spec["name"] == "p.train b"
    assert [step.task for step in bound.parents] == ["t0"]


def test_outputs_of_all_steps_are_gathered_in_order(board: Board) -> None:
    bound = bind(board, board.steps["all", 0])
    assert bound.spec["run"] == ["g", "{train_w_0}", "{train_w_1}", "x={train_s}"]
    assert bound.spec["params"] == {"lr": 1, "train_s": [1, 2], "train_items": ["a", "b"]}
    assert bound.inputs == {"train_w_0": "sha256:b0", "train_w_1": "sha256:b1"}


def test_a_step_for_each_reads_its_own_alone(board: Board) -> None:
    bound = bind(board, board.steps["each", 1])
    assert bound.spec["run"] == ["e", "{train_w}"]
    assert bound.inputs == {"train_w": "sha256:b1"}
    assert [should_run(board, board.steps["each", n]) for n in (0, 1)] == [False, True]


@pytest.mark.parametrize("text", [b"NaN", b"{}", b"[[1]]", b"", b"[1, {}]", b"\xff", b"[" * 5000])
def test_a_value_is_plain_json(text: bytes) -> None:
    with pytest.raises(BadRequest):
        parse_value(text)


def test_values_and_lists_of_them() -> None:
    assert parse_value(b'[1, "a", true, null]') == [1, "a", True, None]
    assert parse_value(b" 0.5\n") == 0.5


@pytest.mark.parametrize(
    "text", [b"1e999", b"[1, -1e999]", b"9" * 30, b"-" + b"9" * 30, rb'"\u0000"', rb'["\ud800"]']
)
def test_a_value_that_no_database_or_page_takes_fails_its_step(text: bytes) -> None:
    """Else its pipeline would be tried again for ever, or never be shown."""
    with pytest.raises(BadRequest, match="not finite"):
        parse_value(text)


def test_a_tree_of_many_files_is_mapped_over_without_keeping_them(tmp_path: Path) -> None:
    manifest = tmp_path / "manifest"
    entries = [FileEntry(f"top/{n:06}", 1, "0" * 64) for n in range(50_000)]
    with manifest.open("wb") as out:
        write_manifest(entries, out)
    del entries
    tracemalloc.start()
    assert top_names(manifest) == ["top"]
    assert tracemalloc.get_traced_memory()[1] < 8 << 20, "a list of them takes 15 MB"
    tracemalloc.stop()
