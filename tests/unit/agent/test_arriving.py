"""A file that comes in is read again from the disk while its bytes still come."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path

import pytest

from diamond.agent.images import arrivals as arriving
from diamond.agent.images.arrivals import Arriving


def test_the_digest_is_that_of_all_that_lies_on_the_disk(tmp_path: Path) -> None:
    part = tmp_path / "part"
    part.write_bytes(b"from an earlier try, ")
    with Arriving(part, lambda count: None) as found:
        with part.open("ab", buffering=0) as sink:
            for _ in range(50):
                sink.write(b"and more" * 1000)
        sha256 = found.sha256()
    assert sha256 == hashlib.sha256(part.read_bytes()).hexdigest()


def test_how_far_it_is_is_told_by_a_thread_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arriving, "REPORT_SECONDS", 0.01)
    part, told, heard = tmp_path / "part", [], threading.Event()
    part.write_bytes(b"12345")

    def tell(count: int) -> None:
        told.append((count, threading.current_thread() is threading.main_thread()))
        heard.set()

    with Arriving(part, tell):
        assert heard.wait(30)
    assert told[0] == (5, False)


def test_a_transfer_that_breaks_off_leaves_no_thread(tmp_path: Path) -> None:
    part = tmp_path / "part"
    part.touch()
    before = threading.active_count()
    with pytest.raises(OSError, match="gone"), Arriving(part, lambda count: None):
        raise OSError("gone")
    assert threading.active_count() == before
