"""Trees whose lists claim more than anybody has: nothing is done at once that a frame or a list only claims."""

from __future__ import annotations

from itertools import islice

import pytest

from diamond.core.errors import Conflict
from diamond.data.manifest import FileEntry
from diamond.data.packing import BYTES, ZEROS, Frame
from diamond.service.records.attachments import MOST_FILES, require_few
from diamond.service.trees.reading import parts_of


def test_zeros_that_a_frame_claims_are_verified_and_sent_in_small_parts() -> None:
    """One frame of 20 bytes stands for all of them; verified at once they would hold up everybody for hours."""
    files = [FileEntry("sparse", 1 << 60, "0" * 64)]
    parts = list(islice(parts_of(Frame(0, ZEROS, 0, 1 << 60), memoryview(b""), files), 3))
    assert [(part.offset, part.length) for part, _ in parts] == [
        (n << 20, 1 << 20) for n in range(3)
    ]
    assert all(len(block.content) == 1 << 20 and not block.is_last for _, block in parts)


def test_the_last_part_of_a_file_is_marked() -> None:
    files = [FileEntry("a", (1 << 20) + 5, "0" * 64), FileEntry("empty", 0, "0" * 64)]
    parts = list(parts_of(Frame(0, ZEROS, 0, (1 << 20) + 5), memoryview(b""), files))
    assert [(len(block.content), block.is_last) for _, block in parts] == [
        (1 << 20, False),
        (5, True),
    ]
    (end,) = parts_of(Frame(0, BYTES, 1 << 20, 5), memoryview(b"12345"), files)
    assert end[1].is_last and end[1].content == b"12345"
    (empty,) = parts_of(Frame(1, ZEROS, 0, 0), memoryview(b""), files)
    assert empty[1].is_last and not len(empty[1].content)


def test_a_crate_of_many_tasks_holds_no_more_files_than_a_crate_of_one() -> None:
    require_few(MOST_FILES)
    with pytest.raises(Conflict, match="at most"):
        require_few(MOST_FILES + 1)
    with pytest.raises(Conflict, match="at most"):
        require_few(2, room=1)
