"""A whole environment is checked before anything is built."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from diamond.compose.environment import ImageEnvironmentSpec, environment_schema, freeze
from diamond.core.order import EnvironmentFile

WHOLE = """
base: docker://registry.example/ubuntu:24.04
accelerator: cuda-12.4
system: [git, libgl1]
python: "3.12"
requirements: [torch==2.13.0]
inherit: true
variables: {OMP_NUM_THREADS: 1, DEBUG: true}
files: [{to: /opt/greeting.txt, text: hello}]
commands:
  - |
    make -C /opt/x
    make install
test: python -c 'import torch'
labels: {team: climate}
runtime: podman
"""


def test_every_field_of_a_file_reaches_the_order() -> None:
    environment = freeze(ImageEnvironmentSpec.model_validate(yaml.safe_load(WHOLE)))
    assert environment.base == "docker://registry.example/ubuntu:24.04"
    assert environment.variables == {"OMP_NUM_THREADS": "1", "DEBUG": "true"}
    assert environment.files == [EnvironmentFile("/opt/greeting.txt", "hello")]
    assert environment.commands == ["make -C /opt/x\nmake install\n"]
    assert set(environment_schema()["properties"]) == set(yaml.safe_load(WHOLE)) | {"lock"}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"base": "image:latest"}, "names no base image"),
        ({"accelerator": "cuda"}, "cuda-12.4"),
        ({"system": ["git"]}, "need a container"),
        ({"base": "debian", "system": ["$(rm)"]}, "not the name of a system package"),
        ({"base": "debian", "commands": [" "]}, "this command is empty"),
        ({"base": "debian", "files": [{"to": "/etc/../x"}]}, "not a valid path for a file"),
        ({"base": "debian", "runtime": "venv"}, "has no base image"),
        ({"requirements": ["six"], "runtime": "podman"}, "podman needs a base image"),
        ({"base": "debian", "packages": ["torch"]}, "packages"),
    ],
)
def test_a_fault_is_said_in_words(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words.replace(".", r"\.")):
        ImageEnvironmentSpec.model_validate(given)
