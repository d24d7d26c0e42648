"""Moved or built again: whichever is foretold to be faster, from what was measured."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from diamond.core.order import Environment
from diamond.images.plan import make_plan
from diamond.images.recipe import Recipe
from diamond.images.travel import BYTES_PER_SECOND, File, Goal, choose_way, measured_speed
from diamond.runtimes.image_folders import ImageFolders
from diamond.runtimes.step_times import remember_time, whole_time
from diamond.service.images.rows import stored_manifest
from diamond.service.images.transfers import build_seconds

TORCH = File("squashfs", 300_000_000, "linux/amd64", build_seconds=60.0)
HERE = Goal(["apptainer"], ["apptainer"], "linux/amd64")


def test_a_fast_way_is_taken_by_the_file() -> None:
    way = choose_way(TORCH, replace(HERE, bytes_per_second=100e6))
    assert (way.how, way.seconds) == ("move", 5.0)
    assert way.words == "moved: 286.1 MB, about 5 s; building it again takes about 2 min"


def test_a_small_file_is_moved_though_it_was_built_in_no_time() -> None:
    assert choose_way(replace(TORCH, size=2_000_000, build_seconds=0.5), HERE).how == "move"


def test_over_a_slow_line_the_image_is_built_again() -> None:
    way = choose_way(TORCH, replace(HERE, bytes_per_second=1e6))
    assert (way.how, way.seconds) == ("rebuild", 120.0)
    assert "moving takes longer (286.1 MB, about 5 min; building" in way.words


def test_a_file_that_does_not_run_there_is_built_again_however_fast_the_way() -> None:
    other = choose_way(TORCH, replace(HERE, platform="linux/arm64"))
    assert (other.how, "linux/arm64" in other.words) == ("rebuild", True)
    assert choose_way(TORCH, replace(HERE, runs=["podman"])).how == "rebuild"
    assert choose_way(replace(TORCH, format="venv"), HERE).how == "rebuild"


def test_a_wish_is_followed_or_refused() -> None:
    slow = replace(HERE, bytes_per_second=1e6)
    assert choose_way(TORCH, slow, "move").how == "move"
    assert choose_way(TORCH, HERE, "rebuild").how == "rebuild"
    assert choose_way(TORCH, replace(HERE, platform="linux/arm64"), "move").how == ""
    assert choose_way(TORCH, replace(HERE, builds=[]), "rebuild").how == ""


def test_the_speed_is_that_of_past_moves_of_some_size() -> None:
    assert measured_speed([]) == BYTES_PER_SECOND
    assert measured_speed([(2_000_000, 10.0)]) == BYTES_PER_SECOND
    assert measured_speed([(100_000_000, 10.0), (300_000_000, 10.0), (5, 60.0)]) == 20e6


def test_what_a_build_takes_counts_the_steps_from_the_cache(tmp_path: Path) -> None:
    image_folders = ImageFolders(tmp_path, tmp_path)
    image_folders.make()
    environment = Environment(base="rootfs:/x.tar", commands=["make"])
    plan = make_plan(Recipe(environment, "sha256:1", "", "linux/amd64"), "apptainer")
    assert whole_time(image_folders, plan) == 0
    remember_time(image_folders, plan.step("base"), 40.0)
    remember_time(image_folders, plan.step("pack"), 2.5)
    assert whole_time(image_folders, plan) == 42.5
    assert (
        build_seconds(stored_manifest({"built": {"seconds": 3.0, "whole_seconds": 42.5}})) == 42.5
    )
    assert build_seconds(stored_manifest({"built": {"seconds": 3.0}})) == 3.0
    assert build_seconds(stored_manifest({})) == 60.0
