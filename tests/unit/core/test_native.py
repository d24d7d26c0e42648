"""What a batch system says, in Diamond's words."""

from __future__ import annotations

import pytest

from diamond.core.native import node_names


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("", []),
        ("n1", ["n1"]),
        ("n[1-3,07],m1", ["n1", "n2", "n3", "n07", "m1"]),
        ("gpu[009-011]", ["gpu009", "gpu010", "gpu011"]),
        ("a-1,b-[2]", ["a-1", "b-2"]),
    ],
)
def test_lists_of_nodes_are_read(said: str, names: list[str]) -> None:
    assert node_names(said) == names
