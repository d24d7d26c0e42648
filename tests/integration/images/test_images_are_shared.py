"""People of one Unix group on one machine: one build, one file, and nothing that one could slip to the others."""

from __future__ import annotations

import grp
import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from diamond.agent.site.bundle import build_bundle
from diamond.testing.lab.machine import ensure_users
from support.containers import shared_uv
from support.image_machines import as_user

GROUP = "diamond-lab"


@dataclass
class Group:
    """Accounts with a work folder each, and a folder that is theirs together."""

    folder: Path
    users: list[str]

    @property
    def shared(self) -> Path:
        return self.folder / "shared"

    def start(self, user: str, environment: dict[str, Any]) -> subprocess.Popen[bytes]:
        work = self.folder / f"work-{user}"
        told = {
            "version": 1,
            "name": f"a{user}",
            "build": {"environment": environment},
            "work": str(work),
            "tmp": "/tmp",
            "site": {"shared": str(self.shared)},
            "uv": str(self.folder / "uv"),
        }
        file = self.folder / f"{user}.d" / "build.json"
        file.parent.mkdir(exist_ok=True)
        file.parent.chmod(0o777)
        file.write_text(json.dumps(told))
        builder = ["/usr/bin/python3", str(self.folder / "builder.pyz"), "build", "run", str(file)]
        with (self.folder / f"{user}.log").open("wb") as log:
            words = [*as_user(user, {}), *builder, "--steps", str(file.with_name("steps"))]
            return subprocess.Popen(words, stdout=log, stderr=log, cwd="/")

    def image(self, user: str) -> dict[str, Any]:
        """The last line that a build told."""
        steps = self.folder / f"{user}.d" / "steps"
        told: dict[str, Any] = json.loads(steps.read_text().splitlines()[-1])
        assert told["event"] == "image", (self.folder / f"{user}.log").read_text()
        return told


@pytest.fixture
def group(folder: Path) -> Iterator[Group]:
    users = ["alice", "bob"]
    ensure_users(users)
    _ensure_group(users)
    own = folder / "group"
    own.mkdir()
    own.chmod(0o777)
    build_bundle(own / "builder.pyz")
    shared_uv(own)
    made = Group(own, users)
    made.shared.mkdir()
    subprocess.run(["chgrp", GROUP, str(made.shared)], check=True)
    made.shared.chmod(0o3770)
    yield made
    for user in users:
        words = ["unshare", "--map-root-user", "--map-auto", "rm", "-rf"]
        work = str(own / f"work-{user}")
        subprocess.run([*as_user(user, {}), *words, work], check=False, capture_output=True)


def test_one_builds_and_the_file_is_everybodys(group: Group, folder: Path) -> None:
    environment = {
        "base": f"rootfs:{folder / 'busybox.tar'}",
        "commands": ["echo one of us made it >/opt/made"],
    }
    builds = [group.start(user, environment) for user in group.users]
    assert [one.wait() for one in builds] == [0, 0]
    told = [group.image(user) for user in group.users]
    assert sorted(one["reused"] for one in told) == [False, True]
    assert len({one["record"]["file"] for one in told}) == 1
    assert all(one["record"]["shared"] for one in told)
    assert len(list((group.shared / "store").glob("*.sqfs"))) == 1

    _slip_in_another(group, told)
    late = group.start(_other(told, group), {**environment, "labels": {"again": "yes"}})
    assert late.wait() == 0


def _slip_in_another(group: Group, told: list[dict[str, Any]]) -> None:
    """Who made the file changes it: nobody else takes it any more."""
    file = Path(told[0]["record"]["file"])
    maker = file.owner()
    words = ["sh", "-c", 'chmod u+w "$0" && echo x >>"$0"', str(file)]
    subprocess.run([*as_user(maker, {}), *words], check=True)
    other = next(user for user in group.users if user != maker)
    identity = told[0]["record"]["identity"]
    found = subprocess.run(
        [
            *as_user(other, {"PYTHONPATH": str(group.folder / "builder.pyz")}),
            "/usr/bin/python3",
            "-c",
            _TAKE,
            str(group.shared),
            str(group.folder / f"work-{other}"),
            identity,
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.strip() == "None"
    refused = subprocess.run([*as_user(other, {}), "rm", "-f", str(file)], capture_output=True)
    assert refused.returncode and file.exists()


def _other(told: list[dict[str, Any]], group: Group) -> str:
    return next(user for user in group.users if user != Path(told[0]["record"]["file"]).owner())


def _ensure_group(users: list[str]) -> None:
    names = {one.gr_name for one in grp.getgrall()}
    if GROUP not in names:
        subprocess.run(["groupadd", GROUP], check=True)
    for user in users:
        subprocess.run(["usermod", "-aG", GROUP, user], check=True)


_TAKE = """
import sys
from pathlib import Path
from diamond.runtimes.image_folders import ImageFolders
from diamond.runtimes.sharing import group_folders, take_shared
shared, work, identity = sys.argv[1:]
own = ImageFolders(Path(work) / "images", Path("/tmp"))
print(take_shared(group_folders([shared], own), own, identity, ["squashfs"]))
"""
