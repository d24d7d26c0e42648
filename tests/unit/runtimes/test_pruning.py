"""What is offered for removal: a group's files, and the storages of podman and charliecloud."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from diamond.runtimes.caches import oci_layers
from diamond.runtimes.image_folders import ImageFolders
from diamond.runtimes.pruning import prune

DAY = 86400.0
NOW = 100 * DAY


@pytest.fixture
def image_folders(tmp_path: Path) -> ImageFolders:
    made = ImageFolders(tmp_path / "images", tmp_path / "tmp")
    made.make()
    return made


@pytest.fixture
def group(tmp_path: Path) -> ImageFolders:
    made = ImageFolders(tmp_path / "group", tmp_path / "tmp")
    made.store.mkdir(parents=True)
    made.identities.mkdir()
    return made


def offered(image_folders: ImageFolders, **more: Any) -> list[tuple[str, str, int]]:
    given = {"images": [], "days": 30, "dry_run": True, "now": NOW, **more}
    return [(one["kind"], one["name"], one["bytes"]) for one in prune(image_folders, **given)]


def laid(path: Path, text: str, day: float) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (day * DAY, day * DAY))
    return path


def test_ones_own_old_files_of_a_group_are_shown_and_then_removed(
    image_folders: ImageFolders, group: ImageFolders
) -> None:
    old, young = "a" * 64, "b" * 64
    for sha256, day in ((old, 10.0), (young, 90.0)):
        laid(group.store / f"{sha256}.sqfs", "12345", day)
        laid(group.store / f"{sha256}.json", "{}", day)
        laid(group.identities / f"some.{sha256[:12]}.json", "{}", day)
    assert offered(image_folders, group=group) == [("group-file", old[:12], 5)]
    assert (group.store / f"{old}.sqfs").exists()
    prune(image_folders, images=[], days=30, dry_run=False, now=NOW, group=group)
    assert sorted(one.name[0] for one in group.store.iterdir()) == ["b", "b"]
    assert [one.name for one in group.identities.iterdir()] == [f"some.{young[:12]}.json"]


def test_a_file_of_somebody_else_is_not_offered(
    image_folders: ImageFolders, group: ImageFolders, monkeypatch: pytest.MonkeyPatch
) -> None:
    laid(group.store / f"{'a' * 64}.sqfs", "12345", 10)
    monkeypatch.setattr(os, "geteuid", lambda: 4321)
    assert offered(image_folders, group=group) == []


def test_charliecloud_s_cache_goes_once_no_build_used_it(image_folders: ImageFolders) -> None:
    laid(image_folders.root / "charliecloud" / "img" / "big", "123", 10)
    mark = laid(image_folders.layers / "charliecloud" / "key.json", "{}", 90)
    os.utime(image_folders.root / "charliecloud", (10 * DAY, 10 * DAY))
    os.utime(image_folders.root / "charliecloud" / "img", (10 * DAY, 10 * DAY))
    os.utime(image_folders.layers / "charliecloud", (10 * DAY, 10 * DAY))
    assert offered(image_folders) == []
    os.utime(mark, (10 * DAY, 10 * DAY))
    names = [name for _, name, _ in offered(image_folders)]
    assert names == ["charliecloud charliecloud", "charliecloud charliecloud"]


def test_podmans_layers_are_offered_unless_a_younger_one_stands_on_them(
    image_folders: ImageFolders, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a program that answers as podman 4.3 does."""
    told = [
        {"Created": "1970-01-11T00:00:00.5Z", "Size": 10, "RootFS": {"Layers": ["x"]}},
        {"Created": "1970-01-11T00:00:00.5Z", "Size": 14, "RootFS": {"Layers": ["x", "y"]}},
        {"Created": "1970-04-01T00:00:00.5Z", "Size": 17, "RootFS": {"Layers": ["x", "z"]}},
    ]
    names = [f"localhost/diamond-layers:{one}" for one in ("base", "old", "young")]
    program = laid(image_folders.root / "bin" / "podman", _PODMAN, 1)
    program.chmod(0o755)
    laid(image_folders.root / "bin" / "images", "\n".join([*names, "localhost/other:1"]), 1)
    laid(image_folders.root / "bin" / "inspect", json.dumps(told), 1)
    (image_folders.root / "oci").mkdir()
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    assert oci_layers(image_folders, "podman", 50 * DAY) == [(names[1], 4)]


_PODMAN = """#!/bin/sh
case "$*" in
  *" image inspect "*) cat "$(dirname "$0")/inspect" ;;
  *" images "*) cat "$(dirname "$0")/images" ;;
esac
"""
