"""A short text may stand for millions of values: YAML is read within limits, in the service, the CLI and the SDK."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from diamond.core.errors import BadRequest, InvalidSpec
from diamond.notation.yaml_reader import YamlSyntaxError, read_spec, read_text, read_value
from diamond.sdk.specs import load_spec
from diamond.service.composer.spec_text import parse
from diamond.service.images.environments import import_file

BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
MERGE_BOMB = "a: &a {x: 1, y: 2}\n" + "".join(
    f"{name}: &{name} {{<<: [{', '.join([f'*{before}'] * 10)}]}}\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
HOSTILE = {
    "aliases": (BOMB, "more than 20000 values"),
    "merges": (MERGE_BOMB, "more than 20000 values"),
    "wide": ("a: [" + "1," * 30_000 + "1]", "more than 20000 values"),
    "deep": ("a: " + "[" * 5000, "nested more than 50 levels deep"),
    "cycle": ("a: &a [*a]", "'a' contains itself"),
    "cycle of two": ("a: &a {b: &b {c: *a, d: *b}}", "'a' contains itself"),
    "digits": ("a: " + "9" * 5000, "a number of more than 300 digits"),
    "long": ("a: '" + "x" * (1 << 20) + "'", "more than 1 MB"),
}


@pytest.mark.parametrize(("text", "message"), HOSTILE.values(), ids=list(HOSTILE))
def test_a_hostile_text_is_rejected_at_once_and_says_why(text: str, message: str) -> None:
    began = time.process_time()
    with pytest.raises(YamlSyntaxError, match=message):
        read_text(text)
    assert time.process_time() - began < 3


@pytest.mark.parametrize("text", [BOMB, MERGE_BOMB], ids=["aliases", "merges"])
def test_every_door_reads_by_the_same_limits(text: str) -> None:
    message = "more than 20000 values"
    with pytest.raises(InvalidSpec, match=message):
        read_spec(text)
    with pytest.raises(BadRequest, match=message):
        import_file("environment.yml", text)
    parsed = parse(text)
    assert parsed.spec is None
    assert message in parsed.faults[0].message


def test_a_bomb_as_a_setting_stays_text() -> None:
    assert read_value("[*a]") == "[*a]"
    assert read_value("&a [*a]") == "&a [*a]"


def test_ordinary_aliases_and_merges_are_read() -> None:
    text = "a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}\nc: [*a, *a]\n"
    both = {"x": 1, "y": 2}
    assert read_text(text).data == {"a": both, "b": {"x": 1, "y": 3}, "c": [both, both]}


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/urandom"])
def test_a_file_without_an_end_is_not_read_to_its_end(path: str) -> None:
    with pytest.raises(BadRequest, match="is not a regular file"):
        load_spec(Path(path))


def test_a_file_that_is_too_long_for_a_spec_is_rejected_by_its_size(tmp_path: Path) -> None:
    path = tmp_path / "diamond.yaml"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(BadRequest, match="more than 1 MB"):
        load_spec(path)
