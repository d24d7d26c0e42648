"""An ended trial leaves few files, and everything comes back when it is needed."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest

from diamond.agent.folders import Folders
from diamond.agent.tasks.folders import TaskFolders, forget_written
from diamond.agent.tasks.packed import PACKED, pack, unpack
from diamond.agent.tasks.retention import Retention

ORDER = {"name": "x", "command": "true"}


def _task_json(kind: str, pilot: str = "") -> dict[str, Any]:
    placement = {"placement": {"pilot": pilot}} if pilot else {}
    return {"version": 1, "task": "t1", "kind": kind, "order": {**ORDER, **placement}}


@pytest.fixture
def tasks(tmp_path: Path) -> TaskFolders:
    forget_written()
    folders = Folders(keep=tmp_path / "keep", work=tmp_path / "work", tmp=tmp_path / "tmp")
    folders.tasks.mkdir(parents=True)
    return TaskFolders(folders)


def _ended(tasks: TaskFolders, about: dict[str, Any], *, closed: bool = True) -> Path:
    folder = tasks.record("t1", "a1", 1, about)
    for name in ("script.sh", "command.sh", "params.json", "native.json", "over"):
        (folder.path / name).write_text(name)
    (folder.path / "script.sh").chmod(0o700)
    (folder.path / "claim").mkdir()
    (folder.path / "claim" / "owner").write_text("7 node 1\n")
    (folder.path / "data").mkdir()
    (folder.path / "data" / "era5").symlink_to("/data/era5")
    for name in ("started", "exit", "code", "heartbeat", "stdout.log", "stderr.log"):
        (folder.run_folder(1) / name).write_text("0 1\n" if name == "exit" else "7 0 node 1 -\n")
    os.utime(folder.run_folder(1) / "exit", (1000, 1000))
    (folder.run_dir / "model.bin").write_text("weights")
    if closed:
        folder.write_closed("e1")
    return tasks.root / "t1"


def _files(folder: Path) -> list[str]:
    found = [place for place in folder.rglob("*") if place.is_file() or place.is_symlink()]
    return sorted(str(place.relative_to(folder)) for place in found)


def test_a_trial_keeps_its_outputs_its_logs_and_four_files(tasks: TaskFolders) -> None:
    folder = _ended(tasks, _task_json("trial"))
    tasks.pack("t1")
    assert _files(folder) == [
        "attempts/a1/claim/owner",
        "attempts/a1/over",
        "attempts/a1/runs/1/stderr.log",
        "attempts/a1/runs/1/stdout.log",
        PACKED,
        "run/model.bin",
        "task.json",
    ]


def test_what_ran_in_a_pilot_keeps_two_files(tasks: TaskFolders) -> None:
    folder = _ended(tasks, _task_json("run", pilot="t9"))
    tasks.pack("t1")
    logs = [name for name in _files(folder) if name.endswith(".log")]
    assert sorted(set(_files(folder)) - set(logs)) == [PACKED, "run/model.bin", "task.json"]


def test_asking_for_its_attempts_brings_everything_back(tasks: TaskFolders) -> None:
    folder = _ended(tasks, _task_json("trial"))
    before = _files(folder)
    tasks.pack("t1")
    forget_written()
    (attempt,) = tasks.attempts("t1")
    assert _files(folder) == before
    assert attempt.number == 1 and attempt.is_closed_for("e1")
    ending = attempt.exit_of(1)
    assert ending is not None and (ending.code, ending.seen_at) == (0, 1000)
    assert (attempt.path / "script.sh").stat().st_mode & 0o777 == 0o700
    assert (attempt.path / "data" / "era5").readlink() == Path("/data/era5")


@pytest.mark.parametrize(
    ("kind", "closed"), [("run", True), ("trial", False)], ids=["an ordinary task", "still open"]
)
def test_others_stay_as_they_are(tasks: TaskFolders, kind: str, closed: bool) -> None:
    folder = _ended(tasks, _task_json(kind), closed=closed)
    before = _files(folder)
    tasks.pack("t1")
    assert _files(folder) == before


def test_a_list_of_all_attempts_unpacks_nothing(tasks: TaskFolders) -> None:
    folder = _ended(tasks, _task_json("trial"))
    tasks.pack("t1")
    assert list(tasks.every_attempt()) == []
    assert (folder / PACKED).exists()
    assert [each.attempt for each in tasks.every_attempt(also_packed=True)] == ["a1"]


def test_a_pack_that_was_cut_off_is_completed(tasks: TaskFolders) -> None:
    folder = _ended(tasks, _task_json("trial"))
    before = _files(folder)
    tasks.pack("t1")
    (folder / "attempts" / "a1" / "params.json").write_text("params.json")
    pack(folder, in_pilot=False)
    assert not (folder / "attempts" / "a1" / "params.json").exists()
    unpack(folder)
    assert _files(folder) == before


def test_a_closed_trial_is_packed_by_housekeeping(tasks: TaskFolders, tmp_path: Path) -> None:
    folder = _ended(tasks, _task_json("trial"))
    retention = Retention(
        tasks, tmp_path, profile=_nothing, report=_nothing, is_tracked=lambda task: False
    )
    retention.load_requests()
    retention.pack_closed()
    assert (folder / PACKED).exists()


def test_a_hostile_archive_writes_nothing_outside(tasks: TaskFolders) -> None:
    import tarfile

    folder = _ended(tasks, _task_json("trial"))
    outside = folder.parent / "outside"
    with tarfile.open(folder / PACKED, "w") as archive:
        member = tarfile.TarInfo("../outside")
        archive.addfile(member)
    with pytest.raises(Exception, match="leads out"):
        unpack(folder)
    assert not outside.exists()


def _nothing(*_: object) -> Any:
    raise AssertionError("not asked")


def test_an_agent_that_is_killed_while_it_unpacks_does_it_again(
    tasks: TaskFolders, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = _ended(tasks, _task_json("trial"))
    files = [place for place in folder.rglob("*") if place.is_file() and not place.is_symlink()]
    for place in files:
        os.utime(place, (2000, 2000))
        place.chmod(place.stat().st_mode & 0o700)
    kept = {
        place: (place.read_bytes(), place.stat().st_mode, place.stat().st_mtime) for place in files
    }
    tasks.pack("t1")

    class Killed(BaseException):
        pass

    def killed(*_: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(os, "utime", killed)
        unpack(folder)
    unpack(folder)
    now = {
        place: (place.read_bytes(), place.stat().st_mode, place.stat().st_mtime) for place in kept
    }
    assert now == kept, "one that was half restored is restored whole"


@pytest.mark.parametrize("begins", ["a new attempt", "a cancel"])
def test_what_begins_while_its_task_is_packed_loses_nothing(
    tasks: TaskFolders, monkeypatch: pytest.MonkeyPatch, begins: str
) -> None:
    about = _task_json("trial")
    _ended(tasks, about)
    fsync = os.fsync

    def begin() -> None:
        if begins == "a cancel":
            tasks.record_cancel("t1", "a2")
        else:
            tasks.take("t1", "a2", 2, about)

    other = threading.Thread(target=begin)

    def slowly(file: int) -> None:
        """Of the archive, which is not in its place yet."""
        fsync(file)
        if not other.ident:
            other.start()
            other.join(0.2)

    monkeypatch.setattr(os, "fsync", slowly)
    tasks.pack("t1")
    other.join(10)
    folder = tasks.attempt("t1", "a2")
    assert folder.is_cancelled if begins == "a cancel" else folder.is_known
    assert [each.attempt for each in tasks.attempts("t1")] == ["a1", "a2"]
