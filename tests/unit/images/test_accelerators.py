"""PyTorch for a CPU where there is no GPU and nobody chose."""

from __future__ import annotations

from typing import Any

import pytest

from diamond.compose.spec_check import EndpointFacts, check
from diamond.core.order import Environment
from diamond.images.accelerators import brings_torch, has_gpus, needs_choice

ENDPOINT = EndpointFacts(name="here", state="online", default=True, facts={})


@pytest.mark.parametrize(
    "line", ["torch", "torch==2.13.0", "Torch_Vision", "lightning>=2", "timm", " torchaudio~=2.1"]
)
def test_packages_that_bring_torch(line: str) -> None:
    assert brings_torch(["numpy", line])


def test_others_do_not() -> None:
    assert not brings_torch(["numpy", "jax", "tensorflow", "scikit-learn", "# torch", ""])


def test_what_a_person_chose_stays() -> None:
    assert needs_choice(Environment(requirements=["torch"]))
    assert not needs_choice(Environment(requirements=["torch"], accelerator="cuda-12.8"))
    assert not needs_choice(Environment(requirements=["torch==2.13.0+cu128"]))
    assert not needs_choice(Environment(requirements=["torch"], lock="torch==2.13.0"))


@pytest.mark.parametrize(
    ("facts", "known"),
    [
        ({}, None),
        ({"gpus": {}}, False),
        ({"gpus": {"a100": 4}}, True),
        ({"partitions": [{"gpus_per_node": {}}, {"gpus_per_node": {"h100": 4}}]}, True),
        ({"partitions": [{"gpus_per_node": {}}, {}]}, None),
        ({"partitions": [{"gpus_per_node": {}}]}, False),
    ],
)
def test_gpus_of_an_endpoint(facts: dict[str, Any], known: bool | None) -> None:
    assert has_gpus(facts) is known


@pytest.mark.parametrize(("gpus", "accelerator"), [(0, "cpu"), (1, "")])
def test_the_image_of_a_job_without_gpus_gets_torch_for_a_cpu(gpus: int, accelerator: str) -> None:
    spec = {
        "run": "python train.py",
        "environment": {"base": "docker://python:3.12", "requirements": ["torch"]},
        "resources": {"gpus_per_node": gpus},
    }
    composed = check(spec, endpoints=[ENDPOINT], code=None)
    assert composed.build is not None
    assert composed.build.environment.accelerator == accelerator
    told = [one for one in composed.notes if "CPU build, because the job asks for no GPU" in one]
    assert bool(told) == (gpus == 0)
