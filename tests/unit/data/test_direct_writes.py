"""Large parts written past the page cache are the same bytes, and file systems that refuse it get plain writes."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from diamond.data.direct import LEAST_DIRECT, PAGE, DirectWriter


def written(place: Path, content: bytes, *, offset: int = 0) -> int:
    place.touch()
    writer = DirectWriter()
    try:
        return writer.write(str(place), offset, memoryview(content))
    finally:
        writer.close()


def test_whole_pages_are_written_and_the_rest_is_left_to_the_caller(tmp_path: Path) -> None:
    content = os.urandom(9 * LEAST_DIRECT + 100)
    done = written(tmp_path / "file", content, offset=PAGE)
    if not done:
        pytest.skip("this file system only takes plain writes")
    assert done == len(content) - 100
    assert (tmp_path / "file").read_bytes()[PAGE:] == content[:done]


@pytest.mark.parametrize(("size", "offset"), [(LEAST_DIRECT - 1, 0), (LEAST_DIRECT, 1)])
def test_small_parts_and_odd_places_are_for_plain_writes(
    tmp_path: Path, size: int, offset: int
) -> None:
    assert written(tmp_path / "file", bytes(size), offset=offset) == 0


def test_a_file_system_that_refuses_is_asked_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def refuse(*_: object) -> int:
        asked.append(1)
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(os, "pwrite", refuse)
    (tmp_path / "file").touch()
    writer = DirectWriter()
    for _ in range(3):
        assert writer.write(str(tmp_path / "file"), 0, memoryview(bytes(LEAST_DIRECT))) == 0
    assert len(asked) <= 1
    writer.close()


def test_a_full_disk_is_an_error_and_not_a_plain_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    (tmp_path / "file").touch()
    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(OSError, match="No space left"):
        written(tmp_path / "file", bytes(LEAST_DIRECT))
