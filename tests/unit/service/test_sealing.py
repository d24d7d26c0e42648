from __future__ import annotations

from pathlib import Path

import pytest

from diamond.service.platform.sealing import Seal, WrongSeal, load_seal


def test_what_was_sealed_is_read_by_whoever_has_the_key_file(tmp_path: Path) -> None:
    one, other = load_seal(tmp_path / "relay.key"), load_seal(tmp_path / "relay.key")
    sealed = one.close(b"a secret", "r1")
    assert b"secret" not in sealed and sealed != one.close(b"a secret", "r1")
    assert other.open(sealed, "r1") == b"a secret"
    assert (tmp_path / "relay.key").stat().st_mode & 0o077 == 0
    assert [file.name for file in tmp_path.iterdir()] == ["relay.key"]


def test_another_key_another_question_or_a_changed_byte_opens_nothing() -> None:
    seal = Seal(bytes(32))
    sealed = seal.close(b"a secret", "r1")
    for key, content, purpose in (
        (bytes(31) + b"1", sealed, "r1"),
        (bytes(32), sealed, "r2"),
        (bytes(32), sealed[:-1] + b"x", "r1"),
        (bytes(32), b"", "r1"),
    ):
        with pytest.raises(WrongSeal):
            Seal(key).open(content, purpose)
