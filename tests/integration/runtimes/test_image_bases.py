"""Bases from a registry, from a SIF and from an image of Diamond's own; and those that are none."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from diamond.runtimes.calls import Call
from diamond.runtimes.sif import unwrap_sif, wrap_sif
from diamond.runtimes.store import file_sha256
from diamond.testing.runtimes import Bench
from support.containers import container_bench, packed
from support.registry import Registry, running_registry


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with container_bench("apptainer") as bench:
        yield bench


@pytest.fixture(scope="module")
def registry(bench: Bench) -> Iterator[Registry]:
    with running_registry(bench.folder) as registry:
        yield registry


def test_a_tag_is_resolved_to_a_digest_and_both_are_kept(bench: Bench, registry: Registry) -> None:
    digest = registry.push(bench.folder / "busybox.tar", "tools/busybox:1")
    built = bench.build(base=f"docker://{registry.host}/tools/busybox:1", commands=["echo x >/x"])
    assert built.record["base"] == {
        "reference": f"docker://{registry.host}/tools/busybox:1",
        "digest": digest,
    }
    assert bench.inside(built, 'cat /x; echo "$FROM_BASE"') == "x\nyes\n"
    again = bench.build(
        base=f"docker://{registry.host}/tools/busybox@{digest}", commands=["echo x >/x"]
    )
    assert again.last("image")["reused"]


def test_a_base_with_nothing_added_is_an_image(bench: Bench) -> None:
    built = bench.build()
    assert bench.inside(built, "echo inside") == "inside\n"


def test_a_base_that_the_registry_lacks_is_said_with_its_words(
    bench: Bench, registry: Registry
) -> None:
    built = bench.build(base=f"docker://{registry.host}/no/such:1")
    assert built.code == 1
    assert "could not be found: the registry answers 404" in built.log


@pytest.mark.slow
def test_an_image_is_a_base_and_so_is_the_sif_around_it(bench: Bench, tmp_path: Path) -> None:
    first = bench.build(commands=["echo first >/opt/story"])
    second = bench.build(
        base=f"image:{first.record['identity']}", commands=["echo second >>/opt/story"]
    )
    assert bench.inside(second, "cat /opt/story") == "first\nsecond\n"
    sif = bench.folder / "story.sif"
    call = Call(lambda line: None)
    wrap_sif(Path(second.record["file"]), sif, platform="linux/amd64", call=call)
    sif.chmod(0o644)
    unwrap_sif(sif, tmp_path / "again.sqfs")
    assert file_sha256(tmp_path / "again.sqfs") == second.record["sha256"]
    third = bench.build(base=f"sif:{sif}", commands=["echo third >>/opt/story"])
    assert bench.inside(third, "cat /opt/story") == "first\nsecond\nthird\n"


def test_a_base_for_another_processor_is_said_before_any_step(bench: Bench) -> None:
    root = bench.folder / "arm"
    (root / "bin").mkdir(parents=True)
    (root / "bin/sh").write_bytes(b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HH", 2, 0xB7))
    built = bench.build(base=f"rootfs:{packed(root, bench.folder / 'arm.tar')}", commands=["true"])
    assert built.code == 1
    assert built.last("failed")["cause"] == "architecture"
    assert "is for linux/arm64" in built.log


def test_where_overlays_cannot_be_used_a_sandbox_is_copied(bench: Bench) -> None:
    site = {"overlay": False}
    commands = ["echo one >/opt/count", "echo two >>/opt/count"]
    first = bench.build(site=site, commands=commands)
    assert "copied after each step" in first.last("plan")["route"]
    assert bench.inside(first, "cat /opt/count") == "one\ntwo\n"
    changed = bench.build(site=site, commands=[commands[0], "echo three >>/opt/count"])
    assert changed.steps("started") == ["command-2", "pack"]
    assert bench.inside(changed, "cat /opt/count") == "one\nthree\n"


@pytest.mark.slow
def test_ten_thousand_lines_and_many_commands_are_built(bench: Bench) -> None:
    long = "\n".join(f"echo {number} >>/opt/lines" for number in range(10_000))
    many = [f"echo {number} >>/opt/many" for number in range(30)]
    built = bench.build(commands=[long, *many])
    assert bench.inside(built, "wc -l </opt/lines; wc -l </opt/many").split() == ["10000", "30"]
