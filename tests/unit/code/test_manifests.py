"""A manifest comes from anyone: its links are followed as the kernel would, and what is no manifest is named so."""

from __future__ import annotations

from typing import Any

import pytest

from diamond.code.checkout import check_paths, read_manifest
from diamond.core.errors import BadRequest


def links(**targets: str) -> list[dict[str, Any]]:
    return [{"path": path.replace("__", "/"), "link": link} for path, link in targets.items()]


@pytest.mark.parametrize(
    "entries",
    [
        links(p__q__top="../..", p__q__out="top/../secret"),
        links(top="p/..", p__deep="..", out="p/deep/../x"),
        links(out="../x"),
        links(out="/etc"),
        links(out="a/../../x"),
    ],
)
def test_links_that_lead_outside_only_together_are_rejected(entries: list[dict[str, Any]]) -> None:
    with pytest.raises(BadRequest, match="leads outside"):
        check_paths(entries)


@pytest.mark.parametrize(
    "entries",
    [
        links(a="b", b="c/d", c__e="../a"),
        links(a="b/c", b="."),
        links(p__q__top="../..", p__q__x="top/p"),
        links(loop="loop"),
        links(a="b", b="a"),
    ],
)
def test_links_that_stay_inside_are_taken(entries: list[dict[str, Any]]) -> None:
    check_paths(entries)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not json",
        b"null",
        b"[1]",
        b'{"files": 1}',
        b'{"version": 1, "files": {"a": 1}}',
        b'{"version": 1, "files": [["path"]]}',
        b'{"version": 1, "files": [{"path": 1, "link": "x"}]}',
        b'{"version": 1, "files": [{"path": "a", "mode": "644", "sha256": 5}]}',
        b"[" * 100_000,
        b'{"version": 1, "files": ' + b"[" * 100_000,
    ],
)
def test_what_is_no_manifest_is_an_ordinary_error(data: bytes) -> None:
    with pytest.raises(BadRequest, match="not a code manifest"):
        read_manifest(data)
