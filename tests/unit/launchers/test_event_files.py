"""Event files that a run writes, seen without much asking."""

from __future__ import annotations

import os
from pathlib import Path

from diamond.launchers.ranks.event_files import LOOKS_BETWEEN_WALKS, MOST_FILES, EventFiles


def test_growth_is_seen_and_files_of_earlier_attempts_are_not(tmp_path: Path) -> None:
    started, old, new = (tmp_path / name for name in ("started", "tfevents.old", "tfevents.new"))
    old.write_text("of an earlier attempt")
    started.touch()
    os.utime(old, (1, 1))
    events = EventFiles(tmp_path, started)
    assert events.sizes(0.0) is None
    new.write_text("step")
    assert events.sizes(10.0) is None, "folders are walked through now and then"
    seen = [events.sizes(10.0 * look) for look in range(2, LOOKS_BETWEEN_WALKS + 1)]
    assert seen[-1] == [(str(new), 4)]
    new.write_text("step step")
    assert events.sizes(1000.0) == [(str(new), 9)]


def test_of_very_many_files_the_newest_are_watched(tmp_path: Path) -> None:
    for number in range(MOST_FILES + 10):
        file = tmp_path / f"tfevents.{number}"
        file.touch()
        os.utime(file, (1000 + number, 1000 + number))
    seen = EventFiles(tmp_path, tmp_path / "started").sizes(0.0) or []
    assert {name.rpartition(".")[2] for name, _ in seen} == {
        str(n) for n in range(10, MOST_FILES + 10)
    }
