"""What comes from the wire has types and character classes, or is rejected."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from diamond.core.decoding import Absolute, DataName, Digest, Id, Inside, Line, Variable, decode
from diamond.core.errors import BadRequest
from diamond.core.order import order_from
from diamond.core.protocol import read_command, read_request
from diamond.runtimes.below import below, is_below


@dataclass(frozen=True)
class Message:
    id: Id
    digest: Digest | None = None
    path: Inside = ""
    folders: list[Absolute] = field(default_factory=list)
    variables: dict[Variable, str] = field(default_factory=dict)
    data: dict[DataName, Line] = field(default_factory=dict)
    count: int = 1
    share: float = 0.5
    good: bool = False


def test_a_message_is_read_and_what_nobody_knows_is_ignored() -> None:
    told = {"id": "t1", "path": "a/b..c", "share": 1, "digest": None, "newer": {"x": 1}}
    assert decode(Message, told) == Message("t1", path="a/b..c", share=1.0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"id": ""},
        {"id": "../x"},
        {"id": "a\n"},
        {"id": 7},
        {"digest": "sha256:../x"},
        {"digest": "A" * 64},
        {"path": "/etc/passwd"},
        {"path": "a/../../b"},
        {"path": "x\n/../y"},
        {"path": "a\0b"},
        {"folders": ["bin"]},
        {"folders": ["/a:/b"]},
        {"variables": {"A=B": "1"}},
        {"variables": {"BASH_FUNC_x%%": "() { :; }"}},
        {"variables": {"A": "a\0b"}},
        {"data": {"..": "x"}},
        {"data": {"a": "two\nlines"}},
        {"count": True},
        {"count": 1.5},
        {"count": "1"},
        {"share": float("nan")},
        {"share": float("inf")},
        {"good": 1},
        {"variables": []},
        {"folders": {}},
    ],
)
def test_whatever_does_not_fit_is_rejected_by_its_name(wrong: dict[str, Any]) -> None:
    [name] = wrong
    with pytest.raises(BadRequest, match=name):
        decode(Message, {"id": "t1", **wrong})


def test_a_message_without_what_it_needs_is_rejected() -> None:
    with pytest.raises(BadRequest, match="id is missing"):
        decode(Message, {})
    with pytest.raises(BadRequest, match="must be an object"):
        decode(Message, ["t1"])


@pytest.mark.parametrize(
    "order",
    [
        {"command": "true", "argv": ["true"]},
        {"argv": ["-a", "python", "evil"]},
        {"argv": ["LD_PRELOAD=x", "python"]},
        {"argv": [""]},
    ],
)
def test_an_order_names_one_program_that_can_be_one(order: dict[str, Any]) -> None:
    with pytest.raises(BadRequest):
        order_from({"name": "x", **order})


@pytest.mark.parametrize(
    "told",
    [
        {"type": "clean", "tasks": ["../x"]},
        {"type": "upgrade", "digest": "../x"},
        {"type": "cancel", "task": "t1", "attempt": "a/b"},
        {"type": "chain", "task": "t1", "chain": {"most_seconds": "a[$(touch owned)]"}},
        {"type": "image", "act": "pull", "move": "m1", "reference": "--option"},
        {"type": "image", "act": "elsewhere", "move": "m1"},
        {"type": 7},
        {},
        [],
    ],
)
def test_a_command_that_leads_elsewhere_is_none(told: Any) -> None:
    with pytest.raises(BadRequest):
        read_command({"id": "c1", **told} if isinstance(told, dict) else told)


def test_a_command_of_a_later_version_is_left_alone() -> None:
    assert read_command({"id": "c1", "type": "of-a-later-version"}) is None


def test_a_request_names_paths_inside() -> None:
    for path in ("../x", "/x", "a/../../x"):
        with pytest.raises(BadRequest, match="path"):
            read_request({"id": "r1", "type": "read-file", "task": "t1", "path": path})


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "/a", "a\0b"])
def test_a_place_is_below_its_root_or_none(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadRequest):
        below(tmp_path, "here", name)


def test_no_link_leads_out_of_a_root(tmp_path: Path) -> None:
    root, elsewhere = tmp_path / "root", tmp_path / "elsewhere"
    root.mkdir()
    elsewhere.mkdir()
    (root / "link").symlink_to(elsewhere)
    with pytest.raises(BadRequest, match="link"):
        below(root, "link", "x")
    assert is_below(root, str(root / "x"))
    for place in (root / "link" / "x", root / ".." / "elsewhere", elsewhere, Path("x")):
        assert not is_below(root, str(place))
