"""Lines are found wherever blocks are cut, and a search goes on where it stopped."""

from __future__ import annotations

import random

import pytest

from diamond.code import searching
from diamond.code.searching import Question, find_lines, line_rest


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "BLOCK_BYTES", 100)
    monkeypatch.setattr(searching, "LINE_BYTES", 60)


def search(
    log: bytes,
    text: str,
    *,
    start: int = 0,
    limit: int = 10_000,
    is_last: bool = True,
    case: bool = False,
) -> searching.Found:
    return find_lines(
        lambda at, length: log[at : at + length],
        Question(text, case, limit),
        start=start,
        end=len(log),
        is_last=is_last,
    )


@pytest.mark.parametrize("seed", range(5))
def test_every_line_with_the_text_is_found_once(seed: int) -> None:
    chance = random.Random(seed)
    lines = [
        b"x" * chance.randrange(40) + chance.choice([b"", b"needle", b"hay"]) for _ in range(300)
    ]
    log = b"\n".join(lines) + chance.choice([b"", b"\n"])
    expected = [line.decode() for line in lines if b"needle" in line]
    assert [one.text for one in search(log, "NEEDLE").items] == expected
    assert search(log, "NEEDLE", case=True).items == []
    stepwise: list[str] = []
    at = 0
    while at < len(log):
        found = search(log, "needle", start=at, limit=3)
        stepwise += [one.text for one in found.items]
        at = found.next
    assert stepwise == expected


def test_a_match_says_where_it_is() -> None:
    log = b"first\nse\xc3\xa9cond needle here\nthird\n"
    (one,) = search(log, "needle").items
    assert log[one.at : one.at + one.width] == b"needle"
    assert (one.offset, one.text) == (6, "seécond needle here")
    assert log[one.offset : one.offset + one.length] == "seécond needle here\n".encode()


def test_a_line_that_goes_on_is_left_for_whoever_goes_on() -> None:
    log = b"one\ntwo nee"
    found = search(log, "nee", is_last=False)
    assert (found.items, found.next) == ([], 4)
    assert line_rest(lambda at, length: b"abc\ndef\n"[at : at + length], 5) == 3
    assert line_rest(lambda at, length: b"abc\ndef\n"[at : at + length], 4) == 0


def test_an_endless_line_is_searched_in_pieces_and_shown_around_the_find() -> None:
    log = b"z" * 150 + b"needle" + b"z" * 500
    found = search(log, "needle")
    assert found.next == len(log)
    assert any("needle" in one.text for one in found.items)


def test_a_pattern_is_text_and_nothing_else() -> None:
    assert [one.text for one in search(b"a.c\nabc\n(.*)\n", "a.c").items] == ["a.c"]
    assert [one.text for one in search(b"a.c\nabc\n(.*)\n", "(.*)").items] == ["(.*)"]
