"""A long value is judged about as fast as it is read, whatever it is made of."""

from __future__ import annotations

import time

import pytest

from diamond.compose.spec_check import EndpointFacts, examine

LENGTH = 128 << 10
PIECES = ["a", "=", "{", "{a", "{resume:", "://a:", "'", "\\", "- ", "a/", "accelerate ", "\n"]


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("as_words", [False, True])
def test_a_long_command(piece: str, as_words: bool) -> None:
    text = "x" + (piece * LENGTH)[:LENGTH]
    began = time.process_time()
    examine(
        {"name": "x", "run": [text] if as_words else text},
        endpoints=[EndpointFacts("lab", "online", True, {})],
        code=None,
        code_follows=True,
    )
    assert time.process_time() - began < 3
