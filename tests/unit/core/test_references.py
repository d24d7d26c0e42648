"""References to versions of datasets and models are read in one place."""

from __future__ import annotations

import pytest

from diamond.core.errors import BadRequest
from diamond.core.references import Reference, is_alias, read_reference


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("era5", Reference("era5")),
        ("era5@v2", Reference("era5", number=2)),
        ("era5@sha256:0123abcd", Reference("era5", digest="0123abcd")),
        ("digits@production", Reference("digits", alias="production")),
        ("ada@lab.example/era5@v2", Reference("era5", "ada@lab.example", number=2)),
        ("u23abc/era5", Reference("era5", "u23abc")),
    ],
)
def test_a_reference_is_read_and_written(text: str, reference: Reference) -> None:
    assert read_reference(text) == reference
    assert str(reference) == text


@pytest.mark.parametrize(
    "text",
    ["", "@v1", "era5@", "era5@v0", "era5@sha256:12", "../etc", "a/b/c", "era5@V2", "é", "a\nb"],
)
def test_what_is_not_a_reference_is_rejected_with_the_forms(text: str) -> None:
    with pytest.raises(BadRequest) as error:
        read_reference(text)
    assert "NAME@v2" in error.value.hint


def test_an_alias_never_looks_like_a_number() -> None:
    assert is_alias("production")
    assert not is_alias("v2")
    assert not is_alias("Production")
