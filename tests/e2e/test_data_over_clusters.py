"""Data of one Slurm cluster is read on another one, whose file systems are its own: reached by ssh, as a laptop would."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from diamond.testing.lab import Lab
from support.containers import busybox, skip_without
from support.diamond import Diamond, diamond_up
from support.waiting import wait_for

SITES = ("frontera", "delta")
MEGABYTE = 1 << 20
SMALL = ("--account", "research", "--memory", "100MB", "--time", "5m")


@pytest.fixture(scope="module")
def diamond(strict_lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Diamond]:
    top = tmp_path_factory.mktemp("clusters")
    made = Diamond(top / "home", top, {"DIAMOND_SSH": f"ssh -F {strict_lab.ssh_config}"})
    with diamond_up(made):
        for site in SITES:
            added = made.call("endpoint", "add", site, "--ssh", site)
            assert added.returncode == 0, added.stderr
            wait_for(partial(_is_known, made, site), what="a profile")
        yield made
        for site in SITES:
            end_bridge(made, site)


def _is_known(diamond: Diamond, site: str) -> bool:
    return "flags" in diamond.ask("endpoint", "export", site)["facts"]


def end_bridge(diamond: Diamond, site: str, number: int = signal.SIGTERM) -> None:
    file = diamond.home / "endpoints" / f"{site}.pid"
    if file.exists():
        os.kill(int(file.read_text()), number)


def home(lab: Lab, site: str) -> Path:
    """Alice's own folder there, as root sees it from outside."""
    return lab.root / site / "home" / "alice"


def scratch(lab: Lab, site: str) -> Path:
    return lab.root / site / "scratch" / "alice"


def give(folder: Path) -> Path:
    subprocess.run(["chown", "-R", "alice", str(folder)], check=True)
    return folder


def fill(folder: Path, megabytes: int) -> dict[str, str]:
    """Files with their digests."""
    folder.mkdir(parents=True)
    found = {}
    for number in range(megabytes // 4):
        content = os.urandom(4 * MEGABYTE)
        (folder / f"{number:03}.bin").write_bytes(content)
        found[f"{number:03}.bin"] = hashlib.sha256(content).hexdigest()
    give(folder)
    return found


def set_data(diamond: Diamond, site: str, settings: str) -> None:
    done = diamond.call("endpoint", "set", site, f"data={settings}")
    assert done.returncode == 0, done.stderr


def run(diamond: Diamond, folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "diamond.yaml").write_text(text)
    return diamond.call("run", str(folder / "diamond.yaml"), *SMALL, "--wait")


def spec(name: str, data: str, command: str, site: str = "delta") -> str:
    return f"name: {name}\nrun: {command}\ndata: {{x: {data}}}\non: {site}/batch\n"


def last_task(diamond: Diamond, name: str) -> Any:
    task = diamond.ask("tasks", "--name", name)["items"][0]["id"]
    return diamond.ask("show", task)


@pytest.mark.slow
def test_data_that_lies_on_one_cluster_is_read_on_the_other(
    diamond: Diamond, strict_lab: Lab, tmp_path: Path
) -> None:
    """Both homes have the same path, and they are different file systems: that is noticed."""
    digests = fill(home(strict_lab, "frontera") / "climate", 20)
    added = diamond.call("data", "add", "climate", "~/climate", "--on", "frontera")
    assert added.returncode == 0, added.stderr
    command = "cd $DIAMOND_DATA/x && sha256sum *.bin"
    done = run(diamond, tmp_path / "one", spec("first", "climate@v1", command))
    assert done.returncode == 0, done.stdout + done.stderr
    seen = {name: digest for digest, name in (line.split() for line in done.stdout.splitlines())}
    assert seen == digests
    waits = last_task(diamond, "first")["dependencies"]
    assert [one["kind"] for one in waits] == ["transfer"]
    assert "through the service" in waits[0]["how"] and "does not see" in waits[0]["how"]
    places = diamond.ask("data", "where", "climate")["items"]
    assert {(one["endpoint"], one["kind"]) for one in places} == {
        ("frontera", "in-place"),
        ("delta", "copy"),
    }
    again = run(diamond, tmp_path / "two", spec("second", "climate@v1", command))
    assert again.returncode == 0 and not last_task(diamond, "second")["dependencies"]


@pytest.mark.slow
def test_a_cluster_reaches_the_other_by_the_persons_own_ssh(
    diamond: Diamond, strict_lab: Lab, tmp_path: Path
) -> None:
    """Nothing of it passes through the service: the key and the host are those of the person's account there."""
    fill(home(strict_lab, "frontera") / "direct", 8)
    place = home(strict_lab, "delta") / ".ssh"
    place.mkdir(mode=0o700, exist_ok=True)
    for name in ("id_ed25519", "known_hosts"):
        shutil.copy(strict_lab.root / "ssh" / name, place / name)
    text = (strict_lab.root / "ssh" / "config").read_text()
    lines = [line for line in text.splitlines() if "ProxyCommand" not in line]
    text = "\n".join(lines).replace(str(strict_lab.root / "ssh"), "/home/alice/.ssh")
    (place / "config").write_text(text + "\n")
    for file in place.iterdir():
        file.chmod(0o600)
    give(place)
    set_data(diamond, "delta", '{"ways": ["ssh"], "hosts": {"frontera": "frontera"}}')
    assert diamond.call("data", "add", "direct", "~/direct", "--on", "frontera").returncode == 0
    done = run(diamond, tmp_path, spec("direct", "direct", "ls $DIAMOND_DATA/x | wc -l"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.split() == ["2"]
    assert "directly by ssh" in last_task(diamond, "direct")["dependencies"][0]["how"]
    set_data(diamond, "delta", "null")


@pytest.mark.slow
def test_an_archive_is_one_file_there_and_a_folder_in_the_container(
    diamond: Diamond, strict_lab: Lab, tmp_path: Path
) -> None:
    skip_without("apptainer")
    folder = home(strict_lab, "frontera") / "many"
    folder.mkdir()
    for number in range(500):
        (folder / f"{number}").write_text(f"file {number}\n")
    give(folder)
    base = busybox(strict_lab.root / "base")
    assert diamond.call("data", "add", "many", "~/many", "--on", "frontera").returncode == 0
    text = (
        "name: packed\n"
        "run: ls $DIAMOND_DATA/x | wc -l; cat $DIAMOND_DATA/x/499; grep $DIAMOND_DATA_X /proc/mounts\n"
        "data: {x: {dataset: many@v1, layout: archive}}\n"
        f"environment: {{base: 'rootfs:{base}'}}\n"
        "on: delta/batch\n"
    )
    done = run(diamond, tmp_path, text)
    assert done.returncode == 0, done.stdout + done.stderr
    count, content, mounted = done.stdout.splitlines()[:3]
    assert (count, content) == ("500", "file 499") and "squash" in mounted
    places = {one["endpoint"]: one for one in diamond.ask("data", "where", "many")["items"]}
    assert places["delta"]["kind"] == "archive"
    outside = "name: mounted\nrun: cat $DIAMOND_DATA/x/7\n"
    outside += "data: {x: {dataset: many, layout: archive}}\non: delta/batch\n"
    done = run(diamond, tmp_path, outside)
    assert done.returncode == 0 and done.stdout == "file 7\n", done.stdout + done.stderr


@pytest.mark.slow
def test_the_nodes_own_disk_is_filled_once(
    diamond: Diamond, strict_lab: Lab, tmp_path: Path
) -> None:
    folder = home(strict_lab, "delta") / "near"
    folder.mkdir()
    (folder / "file").write_text("near\n")
    give(folder)
    assert diamond.call("data", "add", "near", "~/near", "--on", "delta").returncode == 0
    text = (
        "name: near\nrun: cat $DIAMOND_DATA/x/file; readlink $DIAMOND_DATA/x; cat $DIAMOND_DATA/../runs/*/stderr.log\n"
        "data: {x: {dataset: near, cache: node}}\non: delta/batch\n"
    )
    first, second = (run(diamond, tmp_path, text) for _ in range(2))
    assert first.returncode == 0 and second.returncode == 0, first.stderr + second.stderr
    assert first.stdout.startswith("near\n") and "diamond-cache-" in first.stdout
    assert "was copied to this node" in first.stdout, first.stdout
    assert "on this node already" in second.stdout, second.stdout


@pytest.mark.slow
def test_a_full_file_system_is_known_before_anything_moves(
    diamond: Diamond, strict_lab: Lab
) -> None:
    """2 GB and 50,000 files: a limit of files is said in files, with the way out."""
    many = scratch(strict_lab, "frontera") / "too-many"
    many.mkdir()
    for number in range(20_000):
        (many / f"{number}").touch()
    give(many)
    ballast = scratch(strict_lab, "delta") / "ballast"
    ballast.mkdir()
    for number in range(35_000):
        (ballast / f"{number}").touch()
    set_data(diamond, "delta", '{"ways": ["service"]}')
    try:
        added = diamond.call("data", "add", "too-many", str(many), "--on", "frontera")
        assert added.returncode == 0, added.stderr
        done = diamond.call("data", "copy", "too-many", "--to", "delta")
        assert done.returncode == 1
        said = done.stdout + done.stderr
        assert "archive" in said and ("inodes" in said or "files" in said), said
        packed = diamond.call("data", "copy", "too-many", "--to", "delta", "--layout", "archive")
        assert packed.returncode == 0, packed.stdout + packed.stderr
    finally:
        shutil.rmtree(ballast)
        shutil.rmtree(many)


@pytest.mark.slow
def test_a_changed_file_stops_the_job_before_it_starts(
    diamond: Diamond, strict_lab: Lab, tmp_path: Path
) -> None:
    folder = home(strict_lab, "frontera") / "changing"
    folder.mkdir()
    (folder / "table.csv").write_text("1,2\n")
    give(folder)
    assert diamond.call("data", "add", "changing", "~/changing", "--on", "frontera").returncode == 0
    (folder / "table.csv").write_text("1,3\n")
    done = run(diamond, tmp_path, spec("changed", "changing", "/bin/true", "frontera"))
    assert done.returncode != 0 and "is task" in done.stderr, done.stdout + done.stderr
    task = last_task(diamond, "changed")
    assert task["reason"] == "data" and "table.csv" in task["message"], task["message"]
    refused = run(diamond, tmp_path, spec("refused", "changing", "/bin/true", "delta"))
    assert refused.returncode != 0 and "changed" in refused.stdout + refused.stderr


@pytest.mark.slow
@pytest.mark.parametrize("end", ["goal", "source", "link"])
def test_a_transfer_over_ssh_continues_after_a_crash(
    diamond: Diamond, strict_lab: Lab, end: str
) -> None:
    folder = scratch(strict_lab, "frontera") / f"large-{end}"
    fill(folder, 240)
    for site in SITES:
        set_data(diamond, site, '{"ways": ["service"], "mb_per_second": 40}')
    name = f"large-{end}"
    assert diamond.call("data", "add", name, str(folder), "--on", "frontera").returncode == 0
    answer = diamond.ask("data", "copy", name, "--to", "delta", "--detach")
    transfer = answer["transfer"]["id"]
    wait_for(lambda: _progress(diamond, name)["bytes"] > 20 * MEGABYTE, what="some bytes")
    site = "frontera" if end == "source" else "delta"
    if end == "link":
        _cut(diamond, site)
    else:
        _kill_agent(site)
    wait_for(lambda: _state(diamond, site) != "online", what="the end of the link")
    assert diamond.call("endpoint", "connect", site).returncode == 0
    for each in SITES:
        set_data(diamond, each, '{"ways": ["service"]}')
    done = diamond.call("data", "copy", name, "--to", "delta")
    assert done.returncode == 0, done.stdout + done.stderr
    found = [one for one in diamond.ask("data", "where", name)["items"] if one["kind"] == "copy"]
    copy = Path(found[0]["path"])
    assert sorted(one.name for one in copy.iterdir()) == sorted(
        one.name for one in folder.iterdir()
    )
    assert all((copy / one.name).read_bytes() == one.read_bytes() for one in folder.iterdir())
    assert transfer
    subprocess.run(["rm", "-rf", str(folder)], check=True)
    assert diamond.call("data", "remove", name, "--on", "delta", "--force").returncode == 0


def _progress(diamond: Diamond, name: str) -> Any:
    transfers = diamond.ask("data", "show", name)["transfers"]
    return transfers[0] if transfers else {"bytes": 0}


def _state(diamond: Diamond, site: str) -> str:
    return str(diamond.ask("endpoint", "show", site)["state"])


def _cut(diamond: Diamond, site: str) -> None:
    bridge = (diamond.home / "endpoints" / f"{site}.pid").read_text()
    found = subprocess.run(
        ["pgrep", "-P", bridge, "-x", "ssh"], capture_output=True, text=True, check=True
    )
    os.kill(int(found.stdout), signal.SIGKILL)


def _kill_agent(site: str) -> None:
    """The agent's own process, on its login node."""
    found = subprocess.run(
        ["pgrep", "-u", "alice", "-f", r"agent\.pyz run --stdio"],
        capture_output=True,
        text=True,
        check=True,
    )
    for pid in map(int, found.stdout.split()):
        root = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        if any(b"/" + site.encode() + b"/" in value for value in root):
            os.kill(pid, signal.SIGKILL)
            return
    raise AssertionError(f"no agent of {site} among {found.stdout.split()}")
