"""The window of pieces: never more than a few at rest, in memory or in a folder that processes share."""

from __future__ import annotations

from pathlib import Path

import pytest

from diamond.core.errors import BadRequest
from diamond.service.platform.pieces import (
    MOST_BYTES,
    MOST_PIECES,
    FolderPieces,
    MemoryPieces,
    Pieces,
    Standing,
)


@pytest.fixture(params=["memory", "folder"])
def pieces(request: pytest.FixtureRequest, tmp_path: Path) -> Pieces:
    return MemoryPieces() if request.param == "memory" else FolderPieces(tmp_path / "pieces")


def content(pieces: Pieces, n: int, number: int = 1) -> bytes | None:
    parts = pieces.get("x1", number, n)
    return None if parts is None else b"".join(parts)


def test_pieces_come_in_order_and_go_when_the_next_is_asked_for(pieces: Pieces) -> None:
    pieces.open("x1", 1, b"wants")
    assert pieces.wants("x1", 1) == b"wants" and pieces.wants("x1", 2) is None
    pieces.put("x1", 1, 0, [b"a", b"b"])
    pieces.put("x1", 1, 2, [b"too early"])
    pieces.put("x1", 1, 1, [b"c"])
    assert pieces.standing("x1", 1) == Standing(2, 0)
    assert content(pieces, 0) == b"ab" == content(pieces, 0)
    assert content(pieces, 1) == b"c"
    assert content(pieces, 0) is None and content(pieces, 2) is None


def test_the_window_is_full_at_eight_pieces(pieces: Pieces) -> None:
    pieces.open("x1", 1, b"")
    for n in range(MOST_PIECES):
        assert pieces.has_room("x1")
        pieces.put("x1", 1, n, [b"x"])
    assert not pieces.has_room("x1")
    content(pieces, 1)
    assert pieces.has_room("x1")


def test_a_new_round_drops_the_old_one(pieces: Pieces) -> None:
    pieces.open("x1", 1, b"first")
    pieces.put("x1", 1, 0, [b"a"])
    pieces.open("x1", 2, b"second")
    assert pieces.standing("x1", 1) is None and content(pieces, 0) is None
    assert pieces.standing("x1", 2) == Standing(0, 0)


def test_an_ended_transfer_leaves_nothing(pieces: Pieces) -> None:
    pieces.open("x1", 1, b"")
    assert pieces.idle_seconds("x1") < 60 < pieces.idle_seconds("x2")
    pieces.prune(60)
    assert pieces.standing("x1", 1) is not None
    pieces.prune(-1)
    assert pieces.standing("x1", 1) is None


def test_all_transfers_together_have_a_limit_in_memory() -> None:
    pieces = MemoryPieces()
    for name in ("x1", "x2"):
        pieces.open(name, 1, b"")
    pieces.put("x1", 1, 0, [bytes(MOST_BYTES)])
    assert not pieces.has_room("x1")
    assert pieces.has_room("x2"), "each may have one, or none would ever end"
    pieces.put("x2", 1, 0, [b"x"])
    assert not pieces.has_room("x2")


def test_two_processes_see_the_same_window(tmp_path: Path) -> None:
    sender, receiver = FolderPieces(tmp_path), FolderPieces(tmp_path)
    sender.open("x1", 1, b"wants")
    sender.put("x1", 1, 0, [b"a"])
    assert content(receiver, 0) == b"a"
    assert content(receiver, 1) is None
    assert sender.standing("x1", 1) == Standing(1, 1)


@pytest.mark.parametrize("name", ["../x", "a/b", "", "."])
def test_a_name_cannot_lead_out_of_the_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadRequest):
        FolderPieces(tmp_path).open(name, 1, b"")
