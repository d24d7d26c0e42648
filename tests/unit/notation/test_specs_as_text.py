"""YAML in and out by one set of rules: what is written is read again as the same."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diamond.core.errors import InvalidSpec
from diamond.notation.yaml_reader import YamlSyntaxError, read_spec, read_text
from diamond.notation.yaml_writer import write_text

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**9), 10**9),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20),
    st.sampled_from(["on", "yes", "12:00", "1e-3", "0o17", "~", "null", "<<", "- x", "a: b", "#"]),
)
DATA = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.from_regex(r"[a-z]{1,6}", fullmatch=True), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(DATA)
def test_what_is_written_is_read_as_the_same(data: Any) -> None:
    assert read_text(write_text({"x": data})).data == {"x": data}


def test_text_of_several_lines_stays_as_it_is() -> None:
    text = write_text({"run": "set -e\npython a.py\n"})
    assert text == "run: |\n  set -e\n  python a.py\n"


def test_the_field_on_is_a_word_and_a_doubtful_value_is_quoted() -> None:
    assert write_text({"on": "auto", "x": "yes"}) == "on: auto\nx: 'yes'\n"


def test_each_field_has_its_place() -> None:
    read = read_text("name: x\nresources:\n  nodes: 2\nsecrets:\n  - A\n  - B\n")
    places = {field: read.position_of(field) for field in ("name", "resources.nodes", "secrets.1")}
    assert {field: (p.line, p.column) for field, p in places.items() if p} == {
        "name": (1, 1),
        "resources.nodes": (3, 3),
        "secrets.1": (6, 5),
    }
    around = read.position_of("resources.walltime")
    assert around is not None
    assert around.line == 2
    assert read.position_of("qos") is None


@pytest.mark.parametrize(
    ("text", "line"), [("a: [1\n", 2), ("a: 1\na: 2\n", 2), ("a: 1\n b: 2\n", 2), ("\ta: 1", 1)]
)
def test_what_cannot_be_read_is_told_with_its_line(text: str, line: int) -> None:
    with pytest.raises(YamlSyntaxError) as caught:
        read_text(text)
    assert caught.value.position is not None
    assert caught.value.position.line == line


@pytest.mark.parametrize("text", ["", "- a\n- b\n", "just words"])
def test_a_text_that_is_no_mapping_is_no_spec(text: str) -> None:
    with pytest.raises(InvalidSpec):
        read_spec(text)
