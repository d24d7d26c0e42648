"""A shell to look around in works on a copy: jobs may be running from the environment itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from diamond.core.order import Environment
from diamond.images.plan import make_plan
from diamond.images.recipe import Recipe
from diamond.runtimes.building import Work, open_builder
from diamond.runtimes.calls import Call
from diamond.runtimes.image_folders import ImageFolders, short
from diamond.runtimes.site import Site
from diamond.runtimes.venv_build import Venv


@pytest.mark.parametrize("discards", [True, False])
def test_only_a_build_makes_the_environment_anew(tmp_path: Path, discards: bool) -> None:
    image_folders = ImageFolders(tmp_path / "images", tmp_path)
    image_folders.make()
    plan = make_plan(Recipe(Environment(commands=["true"]), "", "", "linux/amd64"), "venv")
    live = image_folders.venvs / short(plan.identity) / "venv" / "in-use"
    live.parent.mkdir(parents=True)
    live.touch()
    work = Work(image_folders, Site(), Venv(), build="b1")
    with open_builder(plan, work, Call(lambda line: None), discards=discards) as builder:
        builder.begin(plan.steps[0])
    assert live.exists() == discards
