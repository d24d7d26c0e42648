"""The recipe as a definition file and a Dockerfile."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from diamond.core.errors import BadRequest
from diamond.core.order import Environment, EnvironmentFile
from diamond.images.recipe import Recipe
from diamond.images.rendering import definition_file, dockerfile, render, script_file

DIGEST = "sha256:" + "a" * 64
ODD = "echo 'it'\"s\" $HOME\nEND_OF_STEP\ncat <<END\n`x`\nEND"
LOCK = "numpy==2.0 \\\n    --hash=sha256:00\n"


def recipe(**fields: object) -> Recipe:
    given = {
        "base": "docker://registry.example:5000/team/base:1",
        "system": ["git"],
        "requirements": ["numpy"],
        "variables": {"GREETING": 'say "hi" for $5 \\ it\'s'},
        "files": [EnvironmentFile("/opt/x", "text")],
        "commands": [ODD],
        "test": "true",
        "labels": {"team": "climate"},
    }
    return Recipe(Environment(**{**given, **fields}), DIGEST, LOCK)  # type: ignore[arg-type]


def test_the_base_is_named_by_its_digest() -> None:
    assert f"From: registry.example:5000/team/base@{DIGEST}" in definition_file(recipe())
    assert dockerfile(recipe()).startswith(f"FROM registry.example:5000/team/base@{DIGEST}\n")


def test_a_definition_holds_all_sections() -> None:
    text = definition_file(recipe())
    for section in ("%files", "%post", "%environment", "%labels", "%test"):
        assert f"\n{section}\n" in text
    assert "numpy==2.0" in text
    assert "apt-get" in text


def test_the_post_section_is_valid_shell_and_keeps_odd_commands_whole(tmp_path: Path) -> None:
    post = definition_file(recipe()).split("%post\n")[1].split("\n%environment")[0]
    (tmp_path / "post.sh").write_text(post)
    subprocess.run(["sh", "-n", str(tmp_path / "post.sh")], check=True)
    assert ODD in post


def test_a_line_that_would_end_a_here_document_does_not() -> None:
    assert "<<'END_OF_STEP_'" in definition_file(recipe())


def test_values_are_quoted_for_each_file() -> None:
    assert 'ENV GREETING="say \\"hi\\" for \\$5 \\\\ it\'s"' in dockerfile(recipe())
    assert "export GREETING='say \"hi\" for $5 \\ it'\"'\"'s'" in definition_file(recipe())


def test_a_virtual_environment_is_a_script(tmp_path: Path) -> None:
    text = script_file(recipe(base="", system=[], files=[]))
    (tmp_path / "make.sh").write_text(text)
    subprocess.run(["sh", "-n", str(tmp_path / "make.sh")], check=True)


def test_a_container_without_a_base_is_refused() -> None:
    with pytest.raises(BadRequest, match="needs a base"):
        definition_file(recipe(base="", system=[], files=[]))


def test_an_unknown_form_is_answered_with_the_known_ones() -> None:
    with pytest.raises(BadRequest) as caught:
        render(recipe(), "nix")
    assert "definition, dockerfile, script" in caught.value.hint
