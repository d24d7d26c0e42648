"""A program names what it leaves behind."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from diamond import training


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    monkeypatch.setenv("DIAMOND_RUN_DIR", str(folder))
    monkeypatch.setenv("DIAMOND_METRICS", str(tmp_path / "metrics.jsonl"))
    return folder


def named(run: Path) -> list[dict[str, object]]:
    file = run.parent / "facts.jsonl"
    lines = file.read_text().splitlines() if file.exists() else []
    return [result for line in lines for result in json.loads(line).get("results", [])]


def test_a_result_is_named_by_its_path_in_the_run_directory(run: Path) -> None:
    (run / "out").mkdir()
    training.artifact("out", "digits", kind="model", format="torch", signature={"inputs": ["x"]})
    line = {"name": "digits", "path": "out", "kind": "model", "format": "torch"}
    assert named(run) == [{**line, "signature": {"inputs": ["x"]}}]


def test_other_ranks_name_nothing(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (run / "out").mkdir()
    monkeypatch.setenv("RANK", "3")
    training.artifact("out")
    assert named(run) == []


@pytest.mark.parametrize("path", ["..", "/etc", "missing", "link", "."])
def test_what_is_not_in_the_run_directory_is_rejected(run: Path, path: str) -> None:
    (run / "link").symlink_to("/etc")
    with pytest.raises(ValueError, match=r"artifacts/|save it first"):
        training.artifact(path, "x")
    assert named(run) == []


def test_bad_names_and_kinds_say_what_is_valid(run: Path) -> None:
    (run / "out").mkdir()
    with pytest.raises(ValueError, match="files, model, dataset"):
        training.artifact("out", kind="weights")
    with pytest.raises(ValueError, match="letters, digits"):
        training.artifact("out", "a/b")


def test_weights_are_saved_below_artifacts(run: Path) -> None:
    torch = pytest.importorskip("torch")
    folder = training.save_model(torch.nn.Linear(3, 2), "tiny")
    assert folder == (run / "artifacts" / "tiny").resolve()
    (line,) = named(run)
    assert (line["kind"], line["path"]) == ("model", "artifacts/tiny")
    assert not list(folder.glob("*.part"))
    state = pytest.importorskip("safetensors.torch").load_file(folder / "model.safetensors")
    assert sorted(state) == ["bias", "weight"]
    assert line["format"] == "safetensors"


def test_weights_are_saved_by_torch_where_safetensors_is_missing(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setitem(sys.modules, "safetensors.torch", None)
    folder = training.save_model(torch.nn.Linear(3, 2))
    assert sorted(torch.load(folder / "model.pt", weights_only=True)) == ["bias", "weight"]
    assert named(run)[0]["format"] == "torch"
