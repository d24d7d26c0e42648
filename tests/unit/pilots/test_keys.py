"""The keys of an allocation are made by the Python of the pilot's environment, which may be an old one."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from diamond.pilots.keys import make_keys, remove_keys


def test_keys_are_made_by_a_python_that_knows_no_short_name_for_utc(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(datetime, "UTC", raising=False)
    keys = make_keys(tmp_path / "keys")
    assert {Path(file).stat().st_mode & 0o777 for file in keys} == {0o600}
    remove_keys(tmp_path / "keys")
    assert not (tmp_path / "keys").exists()
