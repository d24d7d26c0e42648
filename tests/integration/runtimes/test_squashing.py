"""An image packed from layers that were packed before: what mksquashfs would make, without compressing anything again."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from diamond.runtimes.squash_job import SquashJob, squash
from diamond.runtimes.squashfs import READABLE, Packed, Unreadable, read_contents
from diamond.runtimes.squashing import Unmergeable, write_merged
from diamond.testing.runtimes import Bench
from support.containers import container_bench

ZSTD = ["-comp", "zstd", "-Xcompression-level", "3"]
LISTED = "%P %y %m %U %G %Ts %n %l\\n"

needs_squashfs = pytest.mark.skipif(
    not shutil.which("mksquashfs") or not shutil.which("unsquashfs"),
    reason="squashfs-tools are not here",
)


@needs_squashfs
def test_a_tree_of_two_layers_is_unpacked_as_it_was(tmp_path: Path) -> None:
    lower, upper = _lower(tmp_path / "lower"), _upper(tmp_path / "upper")
    tree = _merged(tmp_path / "tree", lower, upper)
    layers = [_packed(upper), _packed(lower)]
    write_merged(tree, layers, tmp_path / "image.sqfs")
    assert _unpacked(tmp_path / "image.sqfs") == _described(tree)


@needs_squashfs
def test_what_a_later_layer_overwrote_or_removed_takes_no_room(tmp_path: Path) -> None:
    lower, upper = tmp_path / "lower", tmp_path / "upper"
    for folder in (lower, upper):
        folder.mkdir()
    noise = random.Random(1).randbytes(700_000)
    (lower / "removed").write_bytes(noise)
    (lower / "kept").write_text("kept")
    (upper / "new").write_text("new")
    tree = _merged(tmp_path / "tree", lower, upper)
    (tree / "removed").unlink()
    write_merged(tree, [_packed(upper), _packed(lower)], tmp_path / "image.sqfs")
    assert (tmp_path / "image.sqfs").stat().st_size < 10_000
    assert _unpacked(tmp_path / "image.sqfs") == _described(tree)


@needs_squashfs
def test_what_was_merged_can_be_a_layer_again(tmp_path: Path) -> None:
    lower = _lower(tmp_path / "lower")
    write_merged(lower, [_packed(lower)], tmp_path / "once.sqfs")
    write_merged(lower, [read_contents(tmp_path / "once.sqfs")], tmp_path / "twice.sqfs")
    assert _unpacked(tmp_path / "twice.sqfs") == _described(lower)


@needs_squashfs
def test_a_tree_with_capabilities_or_attributes_is_packed_as_a_whole(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "marked").write_text("x")
    os.setxattr(tree / "marked", "user.mark", b"yes")
    job = _job(tree, tmp_path)
    assert squash(tmp_path / "squash.json") == 0
    assert "packed as a whole: " in capfd.readouterr().out
    subprocess.run(
        ["unsquashfs", "-q", "-n", "-x", "-d", str(tmp_path / "out"), job.target], check=True
    )
    assert os.getxattr(tmp_path / "out" / "marked", "user.mark") == b"yes"


@needs_squashfs
def test_a_file_that_its_layer_has_otherwise_is_noticed(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "file").write_text("as it was")
    layer = _packed(tree)
    (tree / "file").write_text("changed behind our back")
    with pytest.raises(Unmergeable, match="file is not as its layer has it"):
        write_merged(tree, [layer], tmp_path / "image.sqfs")
    (tree / "other").write_text("x")
    (tree / "file").unlink()
    with pytest.raises(Unmergeable, match="other is in no layer"):
        write_merged(tree, [layer], tmp_path / "image.sqfs")


@needs_squashfs
def test_a_damaged_or_foreign_layer_is_not_read(tmp_path: Path) -> None:
    lower = _lower(tmp_path / "lower")
    compressed = tmp_path / "compressed.sqfs"
    subprocess.run(["mksquashfs", str(lower), str(compressed), "-quiet"], check=True)
    (tmp_path / "cut").write_bytes(compressed.read_bytes()[:50])
    for file in (compressed, tmp_path / "cut"):
        with pytest.raises(Unreadable):
            read_contents(file)


@needs_squashfs
def test_a_compressor_that_fails_leaves_no_half_layer(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    _job(tree, tmp_path, words=["-comp", "no-such"])
    assert squash(tmp_path / "squash.json") != 0
    assert not [one for one in tmp_path.iterdir() if "packed" in one.name]


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with container_bench("apptainer") as bench:
        yield bench


def test_a_rebuild_packs_only_the_layer_that_changed(bench: Bench) -> None:
    first = bench.build(commands=["echo one >/opt/one", "echo two >/opt/two"])
    before = _packed_layers(bench)
    second = bench.build(commands=["echo one >/opt/one", "rm /opt/one; echo 2 >/opt/two"])
    after = _packed_layers(bench)
    assert bench.inside(second, "ls /opt; cat /opt/two") == "two\n2\n"
    assert bench.inside(first, "cat /opt/one /opt/two") == "one\ntwo\n"
    assert "packed as a whole" not in first.log + second.log
    assert {name: after[name] for name in before} == before
    assert len(after) == len(before) + 1


def _packed_layers(bench: Bench) -> dict[str, tuple[int, int]]:
    files = bench.work.glob("images/*/**/packed.*.sqfs")
    return {str(file): (file.stat().st_ino, file.stat().st_mtime_ns) for file in files}


def _lower(folder: Path) -> Path:
    """All kinds of things: empty, small, of whole blocks and beyond, with holes, linked, and a long folder."""
    source = random.Random(7)
    folder.mkdir()
    for number, size in enumerate([0, 1, 4000, 131072, 131073, 400_000]):
        place = folder / f"d{number % 3}" / f"file-{number}"
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(source.randbytes(size))
    (folder / "many").mkdir()
    for number in range(3000):
        (folder / "many" / f"a-name-of-some-length-{number}").write_text(str(number % 9))
    with (folder / "holes").open("wb") as sink:
        sink.seek(1_000_000)
        sink.write(b"end")
    os.link(folder / "d1" / "file-1", folder / "hard")
    (folder / "soft").symlink_to("d1/file-1")
    (folder / b"\xff odd".decode(errors="surrogateescape")).write_text("name")
    os.mkfifo(folder / "pipe")
    (folder / "hard").chmod(0o4751)
    os.utime(folder / "many", (1, 1))
    return folder


def _upper(folder: Path) -> Path:
    folder.mkdir()
    (folder / "d0").mkdir()
    (folder / "d0" / "file-0").write_text("no longer empty")
    (folder / "fresh").mkdir()
    (folder / "fresh" / "file").write_bytes(bytes(300_000))
    return folder


def _merged(target: Path, *layers: Path) -> Path:
    """What an overlay of these would show."""
    for layer in layers:
        subprocess.run(["cp", "-a", f"{layer}/.", str(target)], check=True)
    return target


def _packed(folder: Path) -> Packed:
    target = folder.with_suffix(".sqfs")
    words = ["mksquashfs", str(folder), str(target), "-quiet", "-no-progress"]
    subprocess.run([*words, *READABLE, *ZSTD], check=True)
    return read_contents(target)


def _job(tree: Path, folder: Path, words: list[str] | None = None) -> SquashJob:
    packed, target = str(folder / "packed.sqfs"), str(folder / "image.sqfs")
    job = SquashJob(str(tree), [str(tree)], [packed], target, words or ZSTD)
    job.write(folder / "squash.json")
    return job


def _unpacked(image: Path) -> dict[str, object]:
    target = image.with_suffix(".unpacked")
    subprocess.run(["unsquashfs", "-q", "-n", "-d", str(target), str(image)], check=True)
    return _described(target)


def _described(tree: Path) -> dict[str, object]:
    listed = subprocess.run(
        ["find", ".", "-mindepth", "1", "-printf", LISTED],
        cwd=tree,
        capture_output=True,
        check=True,
    )
    files = [file for file in tree.rglob("*") if file.is_file() and not file.is_symlink()]
    bytes_of = {str(file.relative_to(tree)): file.read_bytes() for file in files}
    return {"listed": sorted(listed.stdout.splitlines()), "bytes": bytes_of}
