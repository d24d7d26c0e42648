"""Packages that are brought where there is a network, for a build where there is none."""

from __future__ import annotations

from pathlib import Path

from diamond.core.order import Environment
from diamond.images.recipe import Recipe
from diamond.runtimes.adapters import runtime
from diamond.runtimes.building import Work
from diamond.runtimes.calls import Call
from diamond.runtimes.fetching import fill_cache
from diamond.runtimes.places import Places
from diamond.runtimes.site import Site


def test_wheels_are_fetched_for_the_python_of_the_image(tmp_path: Path) -> None:
    """The image's may be newer than the one that the agent runs on."""
    uv, said = tmp_path / "uv", tmp_path / "said"
    uv.write_text(f'#!/bin/sh\necho "$*" >{said}\n')
    uv.chmod(0o755)
    places = Places(tmp_path / "images", tmp_path)
    places.make()
    recipe = Recipe(Environment(base="docker://a", requirements=["x"]), "", "x==1\n", "linux/amd64")
    work = Work(places, Site(), runtime("apptainer"), uv=str(uv))
    fill_cache(recipe, "3.13", work, Call(lambda line: None))
    assert "--python-version 3.13" in said.read_text()
    assert list(places.building.glob("fetch-*")) == []
