"""One service with one agent on a cluster of the session's lab, and an environment with many frameworks."""

from __future__ import annotations

import subprocess
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from diamond.testing.lab import Lab
from support.stack import Stack, running_stack

FRAMEWORKS = [
    "lightning",
    "jsonargparse[signatures]",
    "transformers",
    "accelerate==1.15.0",
    "mpi4py",
    "jax",
    "rl_zoo3==2.9.2",
    "tensorboard",
]


@pytest.fixture(scope="session")
def stack(slurm_lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    cluster = slurm_lab.cluster("beta")
    with running_stack(cluster, tmp_path_factory.mktemp("launch")) as running:
        yield running


@pytest.fixture(scope="session")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment with the frameworks, which finds torch where these tests have it."""
    place = tmp_path_factory.mktemp("frameworks")
    venv.create(place, with_pip=True)
    own = next(place.glob("lib/python*/site-packages"))
    (own / "host.pth").write_text(f"{Path(torch.__file__).parents[1]}\n")
    install(place, *FRAMEWORKS)
    torchrun = place / "bin" / "torchrun"
    torchrun.write_text(f"#!{place}/bin/python\nfrom torch.distributed.run import main\nmain()\n")
    torchrun.chmod(0o755)
    return place / "bin"


@pytest.fixture(scope="session")
def tensorflow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """In an environment of its own, since it wants other versions of what the others use."""
    place = tmp_path_factory.mktemp("tensorflow")
    venv.create(place, with_pip=True)
    install(place, "tensorflow-cpu==2.21.0")
    return place / "bin"


def install(place: Path, *packages: str) -> None:
    words = [str(place / "bin" / "pip"), "install", "--quiet", "--no-compile", *packages]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"{', '.join(packages)} cannot be installed here: {done.stderr[-300:]}")
