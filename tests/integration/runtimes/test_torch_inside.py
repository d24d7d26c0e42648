"""Python and torch in an image of each runtime: locked, built as an ordinary account, and trained two steps in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from diamond.training.install import install_training
from support.containers import PROGRAMS, alices_folder, container_bench, debian_with_python

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

PATIENCE_SECONDS = 1500.0
"""Hundreds of megabytes are fetched, packed and unpacked."""
TRAIN = """\
import diamond.training as training
import torch

model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(32, 4), torch.randn(32, 1)
losses = []
for step in range(2):
    loss = torch.nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    training.log(step=step, loss=float(loss))
    losses.append(float(loss))
print("trained", losses[1] < losses[0], torch.__version__)
"""


@pytest.fixture(scope="module")
def python_base() -> Iterator[Path]:
    with alices_folder() as folder:
        yield debian_with_python(folder)


@pytest.mark.parametrize("runtime", sorted(PROGRAMS))
def test_torch_is_locked_built_and_trained_with(runtime: str, python_base: Path) -> None:
    base = {"base": f"rootfs:{python_base}"} if runtime != "venv" else {}
    with container_bench(runtime, {"requirements": ["torch==2.13.0", "numpy"], **base}) as made:
        bench = replace(made, account=replace(made.account, patience=PATIENCE_SECONDS))
        built = bench.build(test="python -c 'import torch, numpy'")
        assert built.code == 0, built.log
        assert built.record["packages"]["python"]["torch"].startswith("2.13.0")
        assert built.record["python"].startswith("3.11")
        if runtime != "venv":
            assert "python3" in built.record["packages"]["system"]
        run = bench.folder / "run"
        run.mkdir()
        run.chmod(0o777)
        (run / "train.py").write_text(TRAIN)
        training = install_training(bench.folder / "training")
        options = ["--bind", str(run), "--folder", str(run), "--training", training]
        metrics = str(run / "metrics.jsonl")
        given = {"DIAMOND_METRICS": metrics, "DIAMOND_RUN_DIR": str(run)}
        if runtime == "venv":
            given["PYTHONPATH"] = training
        said = bench.inside(built, "python train.py", *options, **given)
        assert said.startswith("trained True 2.13.0")
        assert len(Path(metrics).read_text().splitlines()) == 2


@pytest.mark.parametrize("runtime", sorted(set(PROGRAMS) - {"venv"}))
def test_a_system_package_is_added_or_said_not_to_exist(runtime: str, python_base: Path) -> None:
    with container_bench(runtime, {"base": f"rootfs:{python_base}"}) as made:
        bench = replace(made, account=replace(made.account, patience=PATIENCE_SECONDS))
        broken = bench.build(system=["no-such-package"])
        told = broken.last("failed")
        assert (told["step"], told["cause"]) == ("system", "package-not-found"), broken.log
        built = bench.build(system=["hello"], test="hello")
        assert built.code == 0, built.log
        assert built.record["packages"]["system"]["hello"]
