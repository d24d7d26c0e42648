"""The recipes are valid specs, and their scripts run by themselves."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from diamond import frames
from diamond.compose.pipeline_check import pipeline_faults
from diamond.compose.spec import Spec
from diamond.core.errors import EnvironmentFailed
from diamond.core.order import Environment
from diamond.runtimes.venv import ensure_environment
from diamond.training.install import install_training

RECIPES = Path(__file__).parents[3] / "recipes"
NAMES = sorted(path.parent.name for path in RECIPES.glob("*/diamond.yaml"))


def spec_of(name: str) -> dict[str, Any]:
    found = yaml.safe_load((RECIPES / name / "diamond.yaml").read_text())
    return dict(found)


@pytest.mark.parametrize("name", NAMES)
def test_a_recipe_is_a_valid_spec_with_a_page_that_explains_it(name: str) -> None:
    if "pipeline" in spec_of(name):
        assert pipeline_faults(spec_of(name)) == []
    else:
        spec = Spec.model_validate(spec_of(name))
        assert spec.run or spec.notebook
    assert f"diamond run recipes/{name}" in (RECIPES / name / "README.md").read_text()


def test_the_plain_script_learns_without_anything_installed(tmp_path: Path) -> None:
    script = RECIPES / "plain-script" / "train.py"
    subprocess.run([sys.executable, "-S", str(script)], cwd=tmp_path, check=True)
    losses = [float(row["loss"]) for row in csv.DictReader((tmp_path / "progress.csv").open())]
    assert losses[-1] < losses[0] / 4
    assert json.loads((tmp_path / "result.json").read_text())["accuracy"] > 0.9


def test_the_plain_script_never_names_diamond() -> None:
    assert "diamond" not in (RECIPES / "plain-script" / "train.py").read_text()


@pytest.fixture(scope="module")
def small_python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An environment in which each of the small recipes runs."""
    packages = ["numpy", "scikit-learn", "nbclient", "ipykernel"]
    try:
        entered = ensure_environment(
            Environment(requirements=packages),
            folder=tmp_path_factory.mktemp("work"),
            say=print,
            cancelled=lambda: False,
        )
    except EnvironmentFailed as error:
        pytest.skip(f"packages cannot be installed here: {error.message.splitlines()[0]}")
    return str(Path(entered.path[0]) / "python")


def run_recipe(python: str, folder: Path, *words: str, **variables: str) -> int:
    """Run a recipe's program in `folder` as a job would."""
    environ = {**os.environ, "OMP_NUM_THREADS": "1", **variables}
    environ |= {
        "DIAMOND_METRICS": str(folder / "metrics.jsonl"),
        "PYTHONPATH": install_training(folder / "training", also=[frames]),
    }
    return subprocess.run([python, *words], cwd=folder, env=environ, check=False).returncode


def metrics_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", ["spiral", "tables"])
def test_a_small_recipe_learns(small_python: str, tmp_path: Path, name: str) -> None:
    assert run_recipe(small_python, tmp_path, str(RECIPES / name / "train.py")) == 0
    assert json.loads((tmp_path / "result.json").read_text())["accuracy"] > 0.9
    losses = [line["loss"] for line in metrics_of(tmp_path)]
    assert losses[-1] < losses[0] / 2


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_notebook_recipe_keeps_its_executed_copy(small_python: str, tmp_path: Path) -> None:
    shutil.copy(RECIPES / "notebook" / "fit.ipynb", tmp_path)
    (tmp_path / "params.json").write_text(json.dumps(spec_of("notebook")["params"]))
    words = ["-m", "diamond.training.notebook", "fit.ipynb", "executed.ipynb"]
    given = str(tmp_path / "params.json")
    assert run_recipe(small_python, tmp_path, *words, DIAMOND_PARAMS=given) == 0
    cells = json.loads((tmp_path / "executed.ipynb").read_text())["cells"]
    injected = [cell for cell in cells if "injected-parameters" in cell["metadata"].get("tags", [])]
    assert injected[0]["source"] == ["degree = 3\n", "noise = 0.2"]
    printed = [out["text"] for cell in cells for out in cell.get("outputs", []) if "text" in out]
    assert any("degree 3: error" in "".join(text) for text in printed)
    assert json.loads((tmp_path / "result.json").read_text())["degree"] <= 3


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_notebook_that_fails_keeps_what_was_done(small_python: str, tmp_path: Path) -> None:
    def code(text: str) -> dict[str, Any]:
        return {
            "cell_type": "code",
            "id": text[:3],
            "execution_count": None,
            "metadata": {},
            "outputs": [],
            "source": text,
        }

    cells = [code("print('first')"), code("1 / 0"), code("print('never')")]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "bad.ipynb").write_text(json.dumps(notebook))
    words = ["-m", "diamond.training.notebook", "bad.ipynb", "executed.ipynb"]
    assert run_recipe(small_python, tmp_path, *words) == 1
    done = json.loads((tmp_path / "executed.ipynb").read_text())["cells"]
    assert [out["output_type"] for out in done[1]["outputs"]] == ["error"]
    assert done[2]["outputs"] == []
    notebook["cells"] = [code("import sys; sys.exit(75)")]
    (tmp_path / "bad.ipynb").write_text(json.dumps(notebook))
    assert run_recipe(small_python, tmp_path, *words) == 75


STAGES = {
    "forecasting": [
        ["prepare.py"],
        ["train.py", "NHITS", "series", "--steps", "2"],
        ["report.py", "forecast"],
    ],
    "hydrology": [
        ["prepare.py"],
        ["train_keras.py", "days", "--epochs", "1"],
        ["train_torch.py", "days", "--epochs", "1"],
        ["report.py", "train_keras", "train_torch"],
    ],
}


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", sorted(STAGES))
def test_the_stages_of_a_pipeline_lead_to_a_report_with_pictures(
    name: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """One after another in one folder; where a stage has its own environment, all packages are in one here."""
    work = tmp_path_factory.mktemp("work")
    stages = [spec_of(name), *spec_of(name)["pipeline"].values()]
    packages = {p for stage in stages for p in stage.get("environment", {}).get("requirements", [])}
    try:
        asked = Environment(requirements=sorted(packages))
        entered = ensure_environment(asked, folder=work, say=print, cancelled=lambda: False)
    except EnvironmentFailed as error:
        pytest.skip(f"packages cannot be installed here: {error.message.splitlines()[0]}")
    python = str(Path(entered.path[0]) / "python")
    for script, *words in STAGES[name]:
        assert run_recipe(python, tmp_path, str(RECIPES / name / script), *words) == 0
        if (tmp_path / "result").exists():
            (tmp_path / "result").rename(tmp_path / script.removesuffix(".py"))
    pictures = list((tmp_path / "report").glob("*.png"))
    assert pictures
    assert all(picture.stat().st_size > 5000 for picture in pictures)


@pytest.fixture(scope="module")
def digits_python(tmp_path_factory: pytest.TempPathFactory) -> str:
    asked = spec_of("digits")["environment"]
    environment = Environment(requirements=asked["requirements"], python=asked["python"])
    try:
        entered = ensure_environment(
            environment,
            folder=tmp_path_factory.mktemp("work"),
            say=print,
            cancelled=lambda: False,
        )
    except EnvironmentFailed as error:
        pytest.skip(f"torch cannot be installed here: {error.message.splitlines()[0]}")
    return str(Path(entered.path[0]) / "python")


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_digits_learns_and_goes_on_from_a_checkpoint(digits_python: str, tmp_path: Path) -> None:
    assert train_digits(digits_python, tmp_path, epochs=2)[-1]["step"] == 1
    checkpoint = str(tmp_path / "ckpt" / "epoch-001.pt")
    lines = train_digits(digits_python, tmp_path, epochs=5, DIAMOND_RESUME_FROM=checkpoint)
    assert [line["step"] for line in lines] == [0, 1, 2, 3, 4]
    assert json.loads((tmp_path / "result.json").read_text())["accuracy"] > 0.9


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_digits_saves_and_asks_to_be_continued(digits_python: str, tmp_path: Path) -> None:
    (tmp_path / "stop").touch()
    with pytest.raises(subprocess.CalledProcessError) as caught:
        train_digits(digits_python, tmp_path, epochs=5, DIAMOND_STOP_FILE=str(tmp_path / "stop"))
    assert caught.value.returncode == 75
    assert [path.name for path in (tmp_path / "ckpt").iterdir()] == ["epoch-000.pt"]


def train_digits(
    python: str, folder: Path, *, epochs: int, **variables: str
) -> list[dict[str, Any]]:
    """Run as a job would, and return the metrics so far."""
    metrics = folder / "metrics.jsonl"
    environ = {**os.environ, **variables, "DIAMOND_METRICS": str(metrics)}
    environ["PYTHONPATH"] = install_training(folder)
    script = str(RECIPES / "digits" / "train.py")
    subprocess.run([python, script, "--epochs", str(epochs)], cwd=folder, env=environ, check=True)
    return [json.loads(line) for line in metrics.read_text().splitlines()]
