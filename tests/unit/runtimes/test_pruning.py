"""What is offered for removal: a group's files, and the storages of podman and charliecloud."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from diamond.runtimes.caches import oci_layers
from diamond.runtimes.places import Places
from diamond.runtimes.pruning import prune

DAY = 86400.0
NOW = 100 * DAY


@pytest.fixture
def places(tmp_path: Path) -> Places:
    made = Places(tmp_path / "images", tmp_path / "tmp")
    made.make()
    return made


@pytest.fixture
def group(tmp_path: Path) -> Places:
    made = Places(tmp_path / "group", tmp_path / "tmp")
    made.store.mkdir(parents=True)
    made.identities.mkdir()
    return made


def offered(places: Places, **more: Any) -> list[tuple[str, str, int]]:
    given = {"images": [], "days": 30, "dry_run": True, "now": NOW, **more}
    return [(one["kind"], one["name"], one["bytes"]) for one in prune(places, **given)]


def laid(path: Path, text: str, day: float) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (day * DAY, day * DAY))
    return path


def test_ones_own_old_files_of_a_group_are_shown_and_then_removed(
    places: Places, group: Places
) -> None:
    old, young = "a" * 64, "b" * 64
    for sha256, day in ((old, 10.0), (young, 90.0)):
        laid(group.store / f"{sha256}.sqfs", "12345", day)
        laid(group.store / f"{sha256}.json", "{}", day)
        laid(group.identities / f"some.{sha256[:12]}.json", "{}", day)
    assert offered(places, group=group) == [("group-file", old[:12], 5)]
    assert (group.store / f"{old}.sqfs").exists()
    prune(places, images=[], days=30, dry_run=False, now=NOW, group=group)
    assert sorted(one.name[0] for one in group.store.iterdir()) == ["b", "b"]
    assert [one.name for one in group.identities.iterdir()] == [f"some.{young[:12]}.json"]


def test_a_file_of_somebody_else_is_not_offered(
    places: Places, group: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    laid(group.store / f"{'a' * 64}.sqfs", "12345", 10)
    monkeypatch.setattr(os, "geteuid", lambda: 4321)
    assert offered(places, group=group) == []


def test_charliecloud_s_cache_goes_once_no_build_used_it(places: Places) -> None:
    laid(places.root / "charliecloud" / "img" / "big", "123", 10)
    mark = laid(places.layers / "charliecloud" / "key.json", "{}", 90)
    os.utime(places.root / "charliecloud", (10 * DAY, 10 * DAY))
    os.utime(places.root / "charliecloud" / "img", (10 * DAY, 10 * DAY))
    os.utime(places.layers / "charliecloud", (10 * DAY, 10 * DAY))
    assert offered(places) == []
    os.utime(mark, (10 * DAY, 10 * DAY))
    names = [name for _, name, _ in offered(places)]
    assert names == ["charliecloud charliecloud", "charliecloud charliecloud"]


def test_podmans_layers_are_offered_unless_a_younger_one_stands_on_them(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a program that answers as podman 4.3 does."""
    told = [
        {"Created": "1970-01-11T00:00:00.5Z", "Size": 10, "RootFS": {"Layers": ["x"]}},
        {"Created": "1970-01-11T00:00:00.5Z", "Size": 14, "RootFS": {"Layers": ["x", "y"]}},
        {"Created": "1970-04-01T00:00:00.5Z", "Size": 17, "RootFS": {"Layers": ["x", "z"]}},
    ]
    names = [f"localhost/diamond-layers:{one}" for one in ("base", "old", "young")]
    program = laid(places.root / "bin" / "podman", _PODMAN, 1)
    program.chmod(0o755)
    laid(places.root / "bin" / "images", "\n".join([*names, "localhost/other:1"]), 1)
    laid(places.root / "bin" / "inspect", json.dumps(told), 1)
    (places.root / "oci").mkdir()
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    assert oci_layers(places, "podman", 50 * DAY) == [(names[1], 4)]


_PODMAN = """#!/bin/sh
case "$*" in
  *" image inspect "*) cat "$(dirname "$0")/inspect" ;;
  *" images "*) cat "$(dirname "$0")/images" ;;
esac
"""
