"""A failed build is told in words that lead on."""

from __future__ import annotations

import pytest

from diamond.runtimes.failures import explain


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("error: No space left on device (os error 28)", "no room"),
        ("OSError: [Errno 122] Disk quota exceeded", "no room"),
        ("× Because nosuch was not found in the package registry", "cannot be met"),
        ("ERROR: No matching distribution found for nosuch", "cannot be met"),
        (
            "hint: You require CPython 3.9 (`cp39`), but we only found wheels with a matching ABI tag",
            "no build for this Python",
        ),
        ("error: Failed to fetch: `https://x/simple/torch/`", "could not be reached"),
        ("  Caused by: dns error: failed to lookup address information", "could not be reached"),
        ("error: No interpreter found for Python 3.99 in search path", "version of Python"),
        ("error: Couldn't parse requirement in `requirements.txt` at position 0", "not one that"),
        ("error: Permission denied (os error 13)", "cannot be written"),
        ("something nobody foresaw", "could not be made"),
    ],
)
def test_known_endings_have_their_own_words_and_a_hint(line: str, message: str) -> None:
    error = explain(["earlier", line], log="/scratch/build.log")
    assert message in error.message
    assert line in error.message
    assert error.hint
    assert "/scratch/build.log" in error.hint
