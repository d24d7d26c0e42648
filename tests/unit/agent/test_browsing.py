"""A person browses a machine for data: below the places where data lies, and nowhere else."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from diamond.agent.site import browsing
from diamond.agent.site.browsing import browse, starting_points
from diamond.core.errors import Forbidden, NotFound

MOUNTS = """\
sysfs /sys sysfs rw 0 0
/dev/sda1 / ext4 rw 0 0
/dev/sda2 /var ext4 rw 0 0
nfs:/x /gpfs/my\\040data nfs4 rw 0 0
tmpfs /run tmpfs rw 0 0
tmpfs /fast tmpfs rw 0 0
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    (home / "data" / "era5").mkdir(parents=True)
    (home / "data" / "train.csv").write_text("1,2")
    (home / ".ssh").mkdir()
    (home / ".ssh" / "id_ed25519").write_text("key")
    (home / "out").symlink_to("/etc")
    (home / "near").symlink_to("data")
    return home


def allow(_path: str) -> None:
    """No policy."""


def names(answer: dict[str, Any]) -> list[str]:
    return [item["name"] for item in answer["items"]]


def test_where_to_begin_is_a_persons_own_folders_and_the_file_systems() -> None:
    variables = {"HOME": "/home/ada", "SCRATCH": "/scratch/ada", "WORK": "relative"}
    there = {"/home/ada", "/scratch/ada", "/data", "/gpfs/my data", "/var", "/fast", "/"}
    found = starting_points(None, variables, MOUNTS, there.__contains__)
    assert found == ["/home/ada", "/scratch/ada", "/data", "/gpfs/my data"]
    assert starting_points(["/data"], variables, MOUNTS, there.__contains__) == ["/data"]
    assert starting_points([], variables, MOUNTS, there.__contains__) == []


def test_a_folder_is_listed_without_hidden_names(home: Path) -> None:
    top = browse("", 0, [str(home)], allow)
    assert (top["folder"], names(top)) == ("", [str(home)])
    inside = browse(str(home), 0, [str(home)], allow)
    assert names(inside) == ["data", "near", "out"]
    linked = browse(f"{home}/near", 0, [str(home)], allow)
    assert (linked["folder"], names(linked)) == (f"{home}/data", ["era5", "train.csv"])
    assert linked["items"][1] | {"modified": 0} == {
        "name": "train.csv",
        "kind": "file",
        "size": 3,
        "modified": 0,
        "is_usable": True,
    }


@pytest.mark.parametrize(
    "path", ["/etc", "{home}/out", "{home}/../..", "{home}/data/../../..", "/"]
)
def test_nothing_outside_of_the_roots_is_listed(home: Path, path: str) -> None:
    with pytest.raises(Forbidden, match="outside"):
        browse(path.format(home=home), 0, [str(home)], allow)


def test_hidden_folders_are_not_listed(home: Path) -> None:
    with pytest.raises(Forbidden, match="hidden"):
        browse(f"{home}/.ssh", 0, [str(home)], allow)


def test_what_the_policy_keeps_back_is_asked_by_where_it_really_lies(home: Path) -> None:
    asked: list[str] = []
    browse(f"{home}/near", 0, [str(home)], asked.append)
    assert asked == [f"{home}/data"]


def test_a_folder_that_cannot_be_opened_says_why(home: Path) -> None:
    with pytest.raises(NotFound, match="No such file"):
        browse(f"{home}/gone", 0, [str(home)], allow)
    with pytest.raises(NotFound, match="Not a directory"):
        browse(f"{home}/data/train.csv", 0, [str(home)], allow)


def test_hostile_names_are_shown_and_cannot_be_chosen(home: Path) -> None:
    folder = home / "names"
    folder.mkdir()
    for name in (b"line\nbreak", b"not\xffutf8", b"colon:x", b"<script>", "é".encode()):
        (Path(os.fsdecode(os.fsencode(folder) + b"/" + name))).mkdir()
    os.mkfifo(folder / "pipe")
    items = browse(str(folder), 0, [str(home)], allow)["items"]
    usable = {item["name"]: item["is_usable"] for item in items}
    assert usable == {
        "line\nbreak": False,
        "not\ufffdutf8": False,
        "colon:x": False,
        "<script>": True,
        "é": True,
    }


def test_a_large_folder_comes_in_pages_and_has_an_end(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browsing, "AT_ONCE", 3)
    monkeypatch.setattr(browsing, "MOST_NAMES", 8)
    folder = home / "many"
    folder.mkdir()
    for n in range(20):
        (folder / f"{n:02}").mkdir()
    found, start = [], 0
    while True:
        page = browse(str(folder), start, [str(home)], allow)
        found += names(page)
        if page["next"] is None:
            break
        start = page["next"]
    assert len(found) == len(set(found)) == 8
    assert page["is_cut"]
