"""A folder on one endpoint becomes a tree and comes to another, whatever dies on the way."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from diamond.core.errors import Conflict
from diamond.service.trees import store
from support.cuttable_link import cuttable_link
from support.service import RunningService, free_port, start_service
from support.tree_scene import DataMachine, TreeScene, data_machine, same_tree
from support.waiting import wait_for

MEGABYTE = 1 << 20


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    return folder


def fill(folder: Path, name: str, megabytes: int) -> Path:
    file = folder / name
    file.write_bytes(os.urandom(MEGABYTE) * megabytes)
    return file


def test_a_folder_with_everything_in_it_arrives_as_it_was(
    scene: TreeScene, alpha: DataMachine, beta: DataMachine, source: Path
) -> None:
    (source / "deep" / "er").mkdir(parents=True)
    (source / "empty").mkdir()
    for number in range(300):
        (source / "deep" / f"{number}.txt").write_text(f"number {number}")
    for name in (b"\xff\xfe", b"new\nline", "ünï".encode(), b"quote\"'", b"-rf", b"$(id)"):
        (source / "deep" / os.fsdecode(name)).write_bytes(name)
    fill(source, "large.bin", 20)
    os.link(source / "large.bin", source / "hard-link")
    (source / "link").symlink_to("deep/er")
    (source / "run.sh").write_text("#!/bin/sh\n")
    (source / "run.sh").chmod(0o755)
    with (source / "sparse").open("wb") as out:
        out.truncate(300 * MEGABYTE)
        out.seek(100 * MEGABYTE)
        out.write(b"data")

    tree = scene.registered(alpha, source)
    done = scene.copied(scene.copy(tree, beta))
    assert done.state == "done", done.message
    arrived = beta.managed(tree)
    assert same_tree(source, arrived)
    assert (arrived / "sparse").stat().st_blocks * 512 < MEGABYTE
    assert done.moved < 45 * MEGABYTE and done.files_done == 310
    assert oct(arrived.stat().st_mode & 0o777) == "0o555"
    assert not list((beta.work / "data" / "arriving").iterdir())
    assert scene.copy(tree, beta) == ""


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_sparse_file_of_20_gb_moves_and_stores_its_data_alone(
    scene: TreeScene, alpha: DataMachine, beta: DataMachine, source: Path
) -> None:
    with (source / "sparse").open("wb") as out:
        out.truncate(20_000 * MEGABYTE)
        out.seek(12_345 * MEGABYTE)
        out.write(b"data")
    scan = scene.scanned(scene.start_scan(alpha, source), patience=600)
    assert scan.state == "done", scan.message
    tree = scan.tree
    done = scene.copied(scene.copy(tree, beta), patience=600)
    assert done.state == "done", done.message
    arrived = beta.managed(tree) / "sparse"
    assert arrived.stat().st_size == 20_000 * MEGABYTE
    assert arrived.stat().st_blocks * 512 < MEGABYTE and done.moved < MEGABYTE
    with arrived.open("rb") as copy:
        copy.seek(12_345 * MEGABYTE)
        assert copy.read(8) == b"data\0\0\0\0"


def test_one_transfer_serves_all_who_want_it(
    scene: TreeScene, alpha: DataMachine, beta: DataMachine, source: Path
) -> None:
    fill(source, "a", 60)
    tree = scene.registered(alpha, source)
    first = scene.copy(tree, beta)
    assert scene.copy(tree, beta) == first
    assert scene.copied(first).state == "done"


def test_a_second_version_moves_its_change_alone(
    scene: TreeScene, alpha: DataMachine, beta: DataMachine, source: Path
) -> None:
    file = source / "table.bin"
    file.write_bytes(os.urandom(200 * MEGABYTE))
    for number in range(100):
        (source / f"{number}").write_bytes(os.urandom(1000))
    first = scene.registered(alpha, source)
    assert scene.copied(scene.copy(first, beta)).state == "done"
    with file.open("r+b") as out:
        out.seek(100 * MEGABYTE)
        out.write(os.urandom(MEGABYTE))
        out.seek(0, os.SEEK_END)
        out.write(b"appended")
    second = scene.registered(alpha, source)
    assert second != first
    done = scene.copied(scene.copy(second, beta))
    assert done.state == "done", done.message
    assert same_tree(source, beta.managed(second))
    assert done.moved < 0.05 * done.size
    small = "7"
    assert (beta.managed(first) / small).stat().st_ino == (
        beta.managed(second) / small
    ).stat().st_ino


def test_a_changed_file_blocks_the_tree_with_its_name(
    scene: TreeScene, alpha: DataMachine, beta: DataMachine, source: Path
) -> None:
    (source / "good").write_text("good")
    (source / "bad").write_text("before")
    tree = scene.registered(alpha, source)
    assert scene.check(alpha, tree).state == "done"
    (source / "bad").write_text("after!")
    checked = scene.check(alpha, tree)
    assert checked.state == "failed" and "bad in " in checked.message
    with pytest.raises(Conflict, match="changed on alpha"):
        wait_for(lambda: scene.copy(tree, beta) or None, 20)
    (source / "bad").write_text("before")
    assert scene.check(alpha, tree).state == "done"


def test_a_new_version_in_the_same_folder_takes_the_place_of_the_old_one(
    scene: TreeScene, alpha: DataMachine, source: Path
) -> None:
    (source / "a").write_text("one")
    first = scene.registered(alpha, source)
    (source / "a").write_text("another")
    second = scene.registered(alpha, source)

    def changed() -> dict[str, tuple[str, ...]]:
        places = scene.run(lambda tx: store.places_on(tx.connection, alpha.endpoint))
        return {place.digest: place.changed for place in places}

    wait_for(lambda: changed()[first] == ("a",), what="the old version, marked as changed")
    assert changed()[second] == ()


def test_what_cannot_be_read_is_named(scene: TreeScene, alpha: DataMachine, source: Path) -> None:
    (source / "fine").write_text("fine")
    (source / "broken").symlink_to("nowhere")
    os.mkfifo(source / "pipe")
    scan = scene.scan(alpha, source)
    assert scan.state == "failed" and "broken" in scan.message
    assert [name.partition(":")[0] for name in scan.named] == ["broken", "pipe"]


def test_a_folder_that_is_not_there_is_said(scene: TreeScene, alpha: DataMachine) -> None:
    scan = scene.scan(alpha, "/no/such/folder")
    assert scan.state == "failed" and "/no/such/folder" in scan.message


def test_an_archive_is_a_source_like_any_other(
    scene: TreeScene, alpha: DataMachine, beta: DataMachine, source: Path
) -> None:
    """The files it was made from are gone: it comes back out of it, there and elsewhere."""
    if shutil.which("mksquashfs") is None:
        pytest.skip("squashfs-tools is missing")
    (source / "deep").mkdir()
    (source / "deep" / "file").write_text("content")
    (source / "run.sh").write_text("#!/bin/sh\n")
    (source / "run.sh").chmod(0o755)
    tree = scene.registered(alpha, source)
    packed = scene.copied(scene.copy(tree, beta, layout="archive"))
    assert packed.state == "done", packed.message
    scene.forget(tree, alpha)
    back = scene.copied(scene.copy(tree, alpha))
    assert back.state == "done" and same_tree(source, alpha.managed(tree)), back.message
    plain = scene.copied(scene.copy(tree, beta))
    assert (plain.state, plain.moved) == ("done", 0), plain.message
    assert same_tree(source, beta.managed(tree))
    assert not list(beta.folder.glob("diamond-*-unpacked-*"))


def test_a_cancelled_transfer_leaves_nothing_behind(
    scene: TreeScene, alpha: DataMachine, beta: DataMachine, source: Path
) -> None:
    fill(source, "a", 400)
    tree = scene.registered(alpha, source)
    transfer = scene.copy(tree, beta)
    wait_for(lambda: (beta.work / "data" / "arriving" / transfer).exists())
    scene.cancel(transfer)
    wait_for(lambda: not (beta.work / "data" / "arriving" / transfer).exists())
    assert scene.transfer(transfer).state == "cancelled"
    assert not beta.managed(tree).exists()


@pytest.mark.parametrize("end", ["goal", "source"])
def test_a_killed_agent_continues_where_it_was(
    scene: TreeScene, alpha: DataMachine, beta: DataMachine, source: Path, end: str
) -> None:
    for number in range(8):
        fill(source, f"{number}-{end}", 60)
    tree = scene.registered(alpha, source)
    transfer = scene.copy(tree, beta)
    arriving = beta.work / "data" / "arriving" / transfer / "tree"
    wait_for(lambda: arriving.exists() and any(one.stat().st_size for one in arriving.iterdir()))
    machine = beta if end == "goal" else alpha
    machine.kill()
    assert scene.transfer(transfer).is_open
    machine.start()
    done = scene.copied(transfer)
    assert done.state == "done", done.message
    assert same_tree(source, beta.managed(tree))


def test_a_source_that_changes_on_the_way_ends_it_with_the_name(
    scene: TreeScene, alpha: DataMachine, beta: DataMachine, source: Path
) -> None:
    for number in range(6):
        fill(source, f"{number}", 60)
    tree = scene.registered(alpha, source)
    transfer = scene.copy(tree, beta)
    arriving = beta.work / "data" / "arriving" / transfer / "tree"
    wait_for(lambda: arriving.exists())
    with (source / "5").open("r+b") as out:
        out.seek(50 * MEGABYTE)
        out.write(b"changed")
    done = scene.copied(transfer)
    assert done.state == "failed" and "5" in done.message, done
    assert not beta.managed(tree).exists()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk_at(tmp_path / "small") as folder:
        yield folder


@contextmanager
def small_disk_at(folder: Path) -> Iterator[Path]:
    """A file system of 100 MB and 200 inodes."""
    if os.geteuid():
        pytest.skip("mounting needs root")
    folder.mkdir(parents=True)
    options = "size=100m,nr_inodes=200"
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], check=False
    )
    if mounted.returncode:
        pytest.skip("tmpfs cannot be mounted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=False)


@pytest.mark.parametrize("what", ["bytes", "inodes"])
def test_data_that_does_not_fit_is_rejected_before_it_begins(
    scene: TreeScene,
    service: RunningService,
    alpha: DataMachine,
    source: Path,
    small_disk: Path,
    what: str,
) -> None:
    if what == "bytes":
        fill(source, "a", 120)
    else:
        for number in range(300):
            (source / str(number)).write_text("x")
    tree = scene.registered(alpha, source)
    with data_machine(service, f"small-{what}", small_disk / "agent") as machine:
        done = scene.copied(scene.copy(tree, machine))
        assert done.state == "failed"
        assert ("inodes" if what == "inodes" else "MB") in done.message
        assert done.moved == 0


@pytest.fixture
def small_work(tmp_path: Path) -> Iterator[Path]:
    """The folder of a machine whose work folder is a small disk of its own."""
    folder = tmp_path / "machine"
    with small_disk_at(folder / "work"):
        yield folder


@pytest.mark.parametrize("what", ["bytes", "inodes"])
def test_a_disk_that_fills_up_on_the_way_loses_nothing(
    scene: TreeScene,
    service: RunningService,
    alpha: DataMachine,
    source: Path,
    small_work: Path,
    what: str,
) -> None:
    """Somebody else takes the room that was there when it began. Once there is room, it continues."""
    for number in range(7):
        fill(source, f"{number}-{what}", 4)
    for number in range(20):
        (source / f"small-{number}").write_text(f"{what} {number}")
    tree = scene.registered(alpha, source)
    with data_machine(service, f"full-{what}", small_work) as machine:
        machine.set_data(ways=["service"], mb_per_second=4)
        transfer = scene.copy(tree, machine)
        wait_for(lambda: scene.transfer(transfer).bytes, what="the first bytes to be told")
        taken = small_work / "work" / "taken"
        taken.mkdir()
        _take_all(taken, what)
        done = scene.copied(transfer)
        assert done.state == "failed" and "the disk is full" in done.message, done.message
        assert 0 < done.bytes < done.size and not machine.managed(tree).exists()
        shutil.rmtree(taken)
        machine.set_data(ways=["service"])
        again = scene.copied(scene.copy(tree, machine))
        assert again.state == "done", again.message
        assert same_tree(source, machine.managed(tree))
        assert again.moved < again.size, "what had come was not sent again"
        assert not list((machine.work / "data" / "arriving").iterdir())


def _take_all(folder: Path, what: str) -> None:
    with suppress(OSError):
        if what == "bytes":
            with (folder / "large").open("wb") as out:
                while True:
                    out.write(bytes(MEGABYTE))
        for number in count():
            (folder / str(number)).touch()


def test_the_link_may_be_cut_and_the_service_killed_in_mid_transfer(
    tmp_path: Path, source: Path
) -> None:
    for number in range(8):
        fill(source, f"{number}", 15)
    port = free_port()
    with cuttable_link(port) as link, ExitStack() as at_end:
        service = replace(start_service(tmp_path / "home", port=port), url=link.url)
        at_end.callback(lambda: service.stop())
        alpha = at_end.enter_context(data_machine(service, "alpha", tmp_path / "alpha"))
        beta = at_end.enter_context(data_machine(service, "beta", tmp_path / "beta"))
        beta.set_data(ways=["service"], mb_per_second=20)
        scene = TreeScene(service)
        tree = scene.registered(alpha, source)
        transfer = scene.copy(tree, beta)
        arriving = beta.work / "data" / "arriving" / transfer / "tree"
        wait_for(lambda: arriving.exists() and any(arriving.iterdir()))
        link.cut()
        wait_for(lambda: f"fetch-{transfer} waits" in beta.log(), what="a lost link")
        assert scene.transfer(transfer).is_open
        link.mend()
        came = scene.transfer(transfer).bytes
        wait_for(lambda: scene.transfer(transfer).bytes > came, what="more bytes")
        assert scene.transfer(transfer).is_open
        service.kill()
        service = start_service(tmp_path / "home", port=port)
        done = TreeScene(service).copied(transfer)
        assert done.state == "done", done.message
        assert same_tree(source, beta.managed(tree))
