"""Images from a terminal: built, broken, mended, used, compared, removed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.diamond import Diamond, diamond_up


@pytest.fixture(scope="module")
def diamond(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Diamond]:
    folder: Path = tmp_path_factory.mktemp("images")
    made = Diamond(folder / "home", folder)
    with diamond_up(made):
        yield made


def write(diamond: Diamond, name: str, text: str) -> str:
    (diamond.folder / name).write_text(text)
    return name


def test_a_failed_build_is_mended_resumed_and_used(diamond: Diamond) -> None:
    broken = "variables: {SEASON: winter}\ncommands: ['echo first', 'ls /not/there']\n"
    failed = diamond.call("image", "build", write(diamond, "season.yaml", broken))
    assert failed.returncode == 1
    assert "The step command-2 ended with exit code 2" in failed.stderr
    build = str(diamond.ask("tasks", "--kind", "build")["items"][0]["id"])
    shown: Any = diamond.ask("image", "show", build)
    states = {one["name"]: one["state"] for one in shown["steps"]}
    assert (states["command-1"], states["command-2"]) == ("done", "failed")
    assert "shell" in diamond.ask("image", "shell", build)["line"]

    edit = "command-2=ls /"
    mended = diamond.ask("image", "resume", build, "--edit", edit)
    steps = {one["name"]: one["state"] for one in mended["build"]["steps"]}
    assert (steps["command-1"], steps["command-2"]) == ("cached", "done")
    assert mended["image"]["name"] == "season"

    spec = 'name: use\nrun: echo "it is $SEASON"\nenvironment: season\n'
    used = diamond.call("run", write(diamond, "use.yaml", spec), "--wait")
    assert (used.returncode, used.stdout) == (0, "it is winter\n")
    assert "succeeded  use on local" in diamond.call("image", "show", "season").stdout


@pytest.mark.slow
def test_images_are_listed_compared_renamed_and_deleted(diamond: Diamond) -> None:
    for name in ("a", "b"):
        text = f"variables: {{NAME: {name}}}\ntest: 'true'\n"
        assert diamond.call("image", "build", write(diamond, f"{name}.yaml", text)).returncode == 0
    assert {one["name"] for one in diamond.ask("image", "list")["items"]} >= {"a", "b"}
    assert 'variables: {"NAME": "a"}' in diamond.call("image", "diff", "a", "b").stdout
    assert diamond.ask("image", "rename", "b", "c")["name"] == "c"
    assert diamond.call("image", "delete", "c", "--yes").returncode == 0
    assert diamond.call("image", "show", "c").returncode == 1
    assert diamond.call("image", "prune", "--on", "local").returncode == 0


def test_files_that_people_have_are_imported(diamond: Diamond) -> None:
    docker = "FROM ubuntu:24.04\nENV A=1\nRUN echo hi\nEXPOSE 80\n"
    done = diamond.call("image", "import", write(diamond, "Dockerfile", docker))
    assert "base: docker://ubuntu:24.04" in done.stdout
    assert "EXPOSE" in done.stderr
    preview = diamond.call("image", "build", "Dockerfile", "--show")
    assert "ubuntu:24.04" in preview.stdout


@pytest.mark.slow
def test_a_file_beside_the_environment_is_laid_into_the_image(diamond: Diamond) -> None:
    write(diamond, "greeting.txt", "hello from a file\n")
    text = (
        'files: [{to: greeting.txt, from: greeting.txt}]\ntest: cat "$VIRTUAL_ENV/greeting.txt"\n'
    )
    done = diamond.call("image", "build", write(diamond, "filed.yaml", text))
    assert done.returncode == 0, done.stderr
    assert "hello from a file" in done.stdout
