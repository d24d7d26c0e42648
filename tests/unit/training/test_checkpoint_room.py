"""No training begins to save what it has no room to keep."""

from __future__ import annotations

from pathlib import Path

import pytest

from diamond.training.checkpoints.errors import NoRoom
from diamond.training.checkpoints.room import Room, check_room, room_at, size


def test_enough_room_is_no_news() -> None:
    check_room(Room(3000, 30, True), checkpoint_bytes=1000, checkpoint_files=10, count=3)


def test_too_few_bytes_are_told_with_the_numbers_and_a_way_out() -> None:
    with pytest.raises(NoRoom, match=r"need 3 kB, and 2\.999 kB are free.*keep=1"):
        check_room(Room(2999, 30, True), checkpoint_bytes=1000, checkpoint_files=10, count=3)


def test_too_few_files_are_told_too() -> None:
    with pytest.raises(NoRoom, match="need 30 files, and 29 may"):
        check_room(Room(3000, 29, True), checkpoint_bytes=1000, checkpoint_files=10, count=3)


def test_a_file_system_that_counts_no_files_has_room_for_any_number() -> None:
    check_room(Room(3000, 0, False), checkpoint_bytes=1000, checkpoint_files=10, count=3)


def test_a_real_folder_says_what_is_free(tmp_path: Path) -> None:
    assert room_at(tmp_path).free_bytes > 0


def test_sizes_are_shown_as_people_write_them() -> None:
    assert [size(n) for n in (17, 1500, 402_700_000, 2e13)] == [
        "17 B",
        "1.5 kB",
        "402.7 MB",
        "20 TB",
    ]
