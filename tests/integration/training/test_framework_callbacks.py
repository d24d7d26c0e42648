"""Lightning and the Hugging Face Trainer, as released, stop and go on to the same bits with one callback."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sysconfig
import venv
from pathlib import Path
from typing import Any

import pytest

import diamond
from diamond.training.checkpoints.folder import Folder

TRAININGS = Path(__file__).parents[2] / "support" / "trainings"
FRAMEWORKS = ["lightning", "transformers", "accelerate"]


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the frameworks, which finds torch where these tests have it."""
    place = tmp_path_factory.mktemp("frameworks")
    venv.create(place, with_pip=True)
    own = next(place.glob("lib/python*/site-packages"))
    (own / "host.pth").write_text(sysconfig.get_path("purelib") + "\n")
    words = [str(place / "bin" / "pip"), "install", "--quiet", *FRAMEWORKS]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"the frameworks cannot be installed here: {done.stderr[-300:]}")
    return place / "bin" / "python"


def run(
    python: Path, script: str, folder: Path, *, ranks: int = 1, **environ: str
) -> tuple[int, dict[str, Any]]:
    """torchrun makes 1 of any exit code but 0. Ranks agree on a stop some steps later, so they have more to do."""
    epochs = "3" if ranks == 1 else "12"
    folder.mkdir(exist_ok=True)
    torchrun = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(ranks)]
    done = subprocess.run(
        [str(python), *(torchrun if ranks > 1 else []), str(TRAININGS / script), epochs],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(diamond.__file__).parents[1]), **environ},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 75 if ranks == 1 else 1), done.stderr
    lines = [line for line in done.stdout.splitlines() if line.startswith('{"event"')]
    return done.returncode, json.loads(lines[-1]) if lines else {}


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("script", ["by_lightning.py", "by_transformers.py"])
def test_stopped_in_mid_epoch_all_ranks_go_on_to_the_same_weights(
    python: Path, script: str, ranks: int, tmp_path: Path
) -> None:
    _, quiet = run(python, script, tmp_path / "quiet", ranks=ranks)
    stop = {"STOP_AT": str(14 // ranks - 1), "DIAMOND_STOP_FILE": str(tmp_path / "stop")}
    stopped, said = run(python, script, tmp_path / "stopped", ranks=ranks, **stop)
    assert (stopped, said) == (75 if ranks == 1 else 1, {})
    ended, resumed = run(python, script, tmp_path / "stopped", ranks=ranks)
    assert ended == 0
    assert resumed == quiet


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("stop_at", ["6", "7"])
def test_a_callback_of_transformers_goes_on_counting_where_it_stood(
    python: Path, stop_at: str, tmp_path: Path
) -> None:
    """Stopped at a step that is measured and at one that is not; early stopping ends both where it ends a whole run."""
    stop = {"STOP_AT": stop_at, "DIAMOND_STOP_FILE": str(tmp_path / "stop")}
    script = "by_transformers.py"
    _, quiet = run(python, script, tmp_path / "quiet", EARLY="1")
    assert quiet["step"] == 12
    stopped, _ = run(python, script, tmp_path / "stopped", ranks=1, EARLY="1", **stop)
    assert stopped == 75
    assert run(python, script, tmp_path / "stopped", EARLY="1") == (0, quiet)


PREAMBLES = {
    "lightning": "from by_lightning import Model\n",
    "transformers": (
        "import torch\nfrom by_transformers import Model\nmodel = Model()\n"
        "data = [{'features': one, 'labels': one[:1]} for one in torch.randn(16, 4)]\n"
    ),
}
ENDINGS = {
    "lightning": (
        "import torch\nfeatures = torch.randn(8, 4)\n"
        "data = torch.utils.data.TensorDataset(features, features[:, :1])\n"
        "trainer.fit(Model(), training.ResumableLoader(data, 4))\n"
    ),
    "transformers": "",
}


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("framework", "steps"), [("lightning", 20), ("transformers", 6)])
def test_the_examples_of_the_page_run(
    python: Path, framework: str, steps: int, tmp_path: Path
) -> None:
    page = (Path(__file__).parents[3] / "docs" / "checkpoints.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    [block] = [one for one in blocks if framework in one]
    (tmp_path / "train.py").write_text(PREAMBLES[framework] + block + ENDINGS[framework])
    path = os.pathsep.join([str(Path(diamond.__file__).parents[1]), str(TRAININGS)])
    environ = {**os.environ, "PYTHONPATH": path, "CUDA_VISIBLE_DEVICES": ""}
    subprocess.run([str(python), "train.py"], cwd=tmp_path, env=environ, check=True)
    assert Folder(tmp_path / "checkpoints").saved()[0].step == steps
