"""Packages that are brought where there is a network, for a build where there is none."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import pytest

from diamond.core.errors import EnvironmentFailed
from diamond.core.order import Environment
from diamond.images.recipe import Recipe
from diamond.runtimes.adapters import runtime
from diamond.runtimes.base import BuildContext
from diamond.runtimes.building import Work
from diamond.runtimes.calls import Call
from diamond.runtimes.fetching import STARTED, fill_cache, python_of
from diamond.runtimes.image_folders import ImageFolders
from diamond.runtimes.site import Site


def test_wheels_are_fetched_for_the_python_of_the_image(tmp_path: Path) -> None:
    """The image's may be newer than the one that the agent runs on."""
    uv, said = tmp_path / "uv", tmp_path / "said"
    uv.write_text(f'#!/bin/sh\necho "$*" >{said}\n')
    uv.chmod(0o755)
    image_folders = ImageFolders(tmp_path / "images", tmp_path)
    image_folders.make()
    recipe = Recipe(Environment(base="docker://a", requirements=["x"]), "", "x==1\n", "linux/amd64")
    work = Work(image_folders, Site(), runtime("apptainer"), uv=str(uv))
    fill_cache(recipe, "3.13", work, Call(lambda line: None))
    assert "--python-version 3.13" in said.read_text()
    assert list(image_folders.building.glob("fetch-*")) == []


@dataclass
class Container:
    """A runtime whose container prints these lines, or does not start."""

    said: str = ""
    complaint: str = ""
    name: str = "apptainer"
    format: str = "squashfs"

    def builder(self, context: BuildContext) -> mock.Mock:
        def read(*_: object) -> str:
            for line in self.complaint.splitlines():
                context.call.say(line)
            return self.said

        return mock.Mock(read=read)


def python_inside(container: Container, tmp_path: Path) -> str:
    image_folders = ImageFolders(tmp_path / "images", tmp_path)
    image_folders.make()
    recipe = Recipe(Environment(base="sif:/b.sif", requirements=["x"]), "", "", "linux/amd64")
    work = Work(image_folders, Site(), container)  # type: ignore[arg-type]
    return python_of(recipe, container, work, Call(lambda line: None))  # type: ignore[arg-type]


def test_a_runtime_that_cannot_start_is_not_a_base_without_python(tmp_path: Path) -> None:
    container = Container(complaint="FATAL:   could not use fakeroot: no mapping entry found")
    with pytest.raises(EnvironmentFailed) as caught:
        python_inside(container, tmp_path)
    assert "apptainer could not start a container on this machine" in caught.value.message
    assert "could not use fakeroot" in caught.value.message
    assert "/etc/subuid" in caught.value.hint


def test_the_python_of_a_base_is_asked_for_inside(tmp_path: Path) -> None:
    assert python_inside(Container(f"{STARTED}\n3.11\n"), tmp_path) == "3.11"
    with pytest.raises(EnvironmentFailed, match=r"sif:/b\.sif has no Python"):
        python_inside(Container(f"{STARTED}\n"), tmp_path)
