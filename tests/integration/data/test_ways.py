"""The ways by which data reaches an endpoint: each really goes that way, ends in the same verification, and is shown."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from diamond.core.errors import Conflict
from diamond.sdk.client import Client
from diamond.service.trees.rows import TransferRow
from support.file_server import file_server
from support.globus_stand_in import TOKEN, GlobusStandIn, globus_stand_in
from support.loopback import LoopbackSsh, loopback_ssh
from support.s3_server import S3Server, s3_server
from support.service import RunningService
from support.tree_scene import DataMachine, TreeScene, data_machine, same_tree
from support.waiting import wait_for

MEGABYTE = 1 << 20
EVERY = ("shared", "ssh", "s3", "globus", "service")


@dataclass(frozen=True)
class Pair:
    """Two machines with the one-file agent; from the goal, the source is an ssh host."""

    scene: TreeScene
    source: DataMachine
    goal: DataMachine
    globus: GlobusStandIn
    ssh: LoopbackSsh

    def bring(self, tree: str, *, may_pass: bool = True) -> TransferRow:
        return self.scene.copied(self.scene.copy(tree, self.goal, may_pass=may_pass))

    def ways(self, *ways: str, **settings: object) -> None:
        self.source.set_data(ways=list(ways), **settings)
        self.goal.set_data(ways=list(ways), **settings)


@pytest.fixture(scope="module")
def pair(
    service: RunningService, scene: TreeScene, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Pair]:
    top = tmp_path_factory.mktemp("ways")
    with globus_stand_in() as globus, loopback_ssh(top) as ssh:
        variables = {"DIAMOND_SSH": ssh.command, "GLOBUS_SDK_SERVICE_URL_TRANSFER": globus.url}
        own_mounts = ["unshare", "--mount", "--propagation", "private"]
        near = data_machine(
            service, "near", top / "near", bundle=True, within=own_mounts, **variables
        )
        far = data_machine(service, "far", top / "far", bundle=True, **variables)
        with near as goal, far as source:
            yield Pair(scene, source, goal, globus, ssh)


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with s3_server(tmp_path_factory.mktemp("s3")) as server:
        yield server


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    (folder / "deep").mkdir(parents=True)
    for number in range(50):
        (folder / "deep" / f"{number}").write_bytes(os.urandom(1000))
    (folder / "large.bin").write_bytes(os.urandom(20 * MEGABYTE))
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o755)
    return folder


def test_data_on_a_file_system_that_both_see_is_read_where_it_lies(pair: Pair, data: Path) -> None:
    pair.ways(*EVERY)
    tree = pair.scene.registered(pair.source, data)
    done = pair.bring(tree)
    assert (done.state, done.way, done.moved) == ("done", "shared", 0), done
    assert "a file system that both see" in done.words
    assert not pair.goal.managed(tree).exists()
    assert pair.scene.copy(tree, pair.goal) == "", "it is there"
    (data / "large.bin").write_bytes(b"changed")
    assert pair.scene.check(pair.goal, tree).state == "failed"


def test_a_copy_of_ones_own_on_the_same_file_system_costs_no_room(pair: Pair, data: Path) -> None:
    """Both are Diamond's copies: the second is made of links, and stays when the first one goes."""
    pair.ways("service")
    tree = pair.scene.registered(pair.goal, data)
    assert pair.scene.copied(pair.scene.copy(tree, pair.source)).way == "service"
    pair.scene.forget(tree, pair.goal)
    pair.ways("shared", "service")
    done = pair.bring(tree)
    assert (done.state, done.way, done.moved) == ("done", "shared", 0), done
    first, second = pair.source.managed(tree), pair.goal.managed(tree)
    assert same_tree(data, second)
    assert (first / "large.bin").stat().st_ino == (second / "large.bin").stat().st_ino


def test_another_file_under_the_same_path_is_not_taken_for_it(
    pair: Pair, data: Path, tmp_path: Path
) -> None:
    """The goal sees another folder there: the data comes through the service instead, and the reason is shown."""
    pair.ways("shared", "service")
    tree = pair.scene.registered(pair.source, data)
    elsewhere = tmp_path / "other"
    elsewhere.mkdir()
    with pair.goal.seeing(elsewhere, at=data), pair.goal.seeing(elsewhere, at=pair.source.work):
        done = pair.bring(tree)
    assert (done.state, done.way) == ("done", "service"), done
    assert "does not see" in done.tried["shared"] and "not on a file system" in done.words
    assert same_tree(data, pair.goal.managed(tree))
    other = tmp_path / "more"
    other.mkdir()
    (other / "file").write_text("x")
    planned = pair.scene.transfer(
        pair.scene.copy(pair.scene.registered(pair.source, other), pair.goal)
    )
    assert planned.ways[0] == "service", "what failed just now is not tried again"
    assert pair.scene.copied(planned.id).state == "done"


def test_data_comes_directly_by_ssh_as_the_person(pair: Pair, data: Path) -> None:
    pair.ways("ssh", "service", hosts={"far": "127.0.0.1"})
    tree = pair.scene.registered(pair.source, data)
    done = pair.bring(tree, may_pass=False)
    assert (done.state, done.way) == ("done", "ssh"), done
    assert done.moved > 20 * MEGABYTE and "directly by ssh" in done.words
    assert same_tree(data, pair.goal.managed(tree))


def test_a_cut_session_continues_where_it_was(pair: Pair, tmp_path: Path) -> None:
    pair.ways("ssh", hosts={"far": "127.0.0.1"}, mb_per_second=60)
    folder = tmp_path / "source"
    folder.mkdir()
    for number in range(12):
        (folder / f"{number}").write_bytes(os.urandom(10 * MEGABYTE))
    tree = pair.scene.registered(pair.source, folder)
    transfer = pair.scene.copy(tree, pair.goal)
    arriving = pair.goal.work / "data" / "arriving" / transfer / "tree"
    wait_for(lambda: arriving.exists() and len(list(arriving.iterdir())) > 3)
    served = subprocess.run(
        ["pgrep", "-f", f"serve-data {tree}"], capture_output=True, text=True, check=True
    )
    for pid in served.stdout.split():
        os.kill(int(pid), signal.SIGKILL)
    done = pair.scene.copied(transfer)
    assert (done.state, done.way, done.tried) == ("done", "ssh", {}), done
    assert done.moved < 1.5 * done.size
    assert same_tree(folder, pair.goal.managed(tree))


def test_a_host_that_lets_nobody_in_is_said(pair: Pair, data: Path) -> None:
    pair.ways("ssh", hosts={"far": "nobody@127.0.0.1"})
    tree = pair.scene.registered(pair.source, data)
    done = pair.bring(tree)
    assert done.state == "failed" and "Permission denied" in done.message, done


def test_data_passes_through_a_bucket_that_both_reach(
    pair: Pair, storage: S3Server, data: Path
) -> None:
    bucket = {"url": storage.url, "bucket": storage.bucket}
    pair.ways("s3", "service", s3=bucket)
    for machine in (pair.source, pair.goal):
        machine.set_secret("S3_KEYS", storage.secret)
    tree = pair.scene.registered(pair.source, data)
    done = pair.bring(tree, may_pass=False)
    assert (done.state, done.way) == ("done", "s3"), done
    assert same_tree(data, pair.goal.managed(tree))
    left = [one.key for one in storage.open().list("diamond/")]
    assert left == [], "nothing stays in the bucket"


def test_a_model_is_kept_in_a_bucket_and_comes_back_from_it(
    pair: Pair, storage: S3Server, data: Path
) -> None:
    """Neither the service nor the machine that made it is needed afterwards."""
    client = Client(pair.scene.service.url, pair.scene.service.token)
    bucket = {"url": storage.url, "bucket": storage.bucket, "prefix": "safe"}
    pair.ways("s3", s3=bucket)
    for machine in (pair.source, pair.goal):
        machine.set_secret("S3_KEYS", storage.secret)
    client.create_model("in-s3")
    client.change_model("in-s3", kept_on="s3:far")
    assert client.model("in-s3")["kept_on"] == "s3:far"
    version = client.push_model("in-s3", data, on="far")
    safety = wait_for(lambda: _kept(client, "in-s3"), what="a copy in the bucket")
    assert "S3 storage of far" in safety["places"] and "service" not in safety["places"]
    tree = version["digest"].partition(":")[2]
    pair.scene.forget(tree, pair.source)
    done = pair.bring(tree)
    assert (done.state, done.way) == ("done", "storage"), done
    assert same_tree(data, pair.goal.managed(tree))


def _kept(client: Client, model: str) -> Any:
    safety = client.model_safety(model)
    return safety if safety["state"] == "kept" else None


def test_a_wrong_key_of_the_bucket_is_said(pair: Pair, storage: S3Server, data: Path) -> None:
    bucket = {"url": storage.url, "bucket": storage.bucket, "prefix": "other"}
    pair.ways("s3", s3=bucket)
    pair.source.set_secret("S3_KEYS", f"{storage.keys.access}:wrong")
    tree = pair.scene.registered(pair.source, data)
    done = pair.bring(tree)
    assert done.state == "failed" and "does not let us" in done.message, done


def test_globus_brings_it_between_two_collections(pair: Pair, data: Path) -> None:
    goal, source = pair.globus.collection(Path("/")), pair.globus.collection(data.parent)
    pair.goal.set_secret("GLOBUS_TOKEN", TOKEN)
    pair.goal.set_data(ways=["globus"], globus={"id": goal, "python": sys.executable})
    pair.source.set_data(ways=["globus"], globus={"id": source, "root": str(data.parent)})
    tree = pair.scene.registered(pair.source, data)
    done = pair.bring(tree, may_pass=False)
    assert (done.state, done.way) == ("done", "globus"), done
    assert same_tree(data, pair.goal.managed(tree))


def test_what_globus_spoils_is_not_taken(pair: Pair, data: Path) -> None:
    goal, source = pair.globus.collection(Path("/")), pair.globus.collection(data.parent)
    pair.goal.set_secret("GLOBUS_TOKEN", TOKEN)
    ways = ["globus", "service"]
    pair.goal.set_data(ways=ways, globus={"id": goal, "python": sys.executable})
    pair.source.set_data(ways=ways, globus={"id": source, "root": str(data.parent)})
    pair.scene.forget_past()
    tree = pair.scene.registered(pair.source, data)
    pair.globus.spoil = True
    try:
        done = pair.bring(tree, may_pass=False)
    finally:
        pair.globus.spoil = False
    assert done.state == "failed" and "other bytes" in done.message, done
    assert not pair.goal.managed(tree).exists()


def test_a_copy_of_the_group_serves_all_members(pair: Pair, data: Path, tmp_path: Path) -> None:
    """The first one who needs it brings it into the group's folder; the next one finds it there, and nobody removes it."""
    folder = tmp_path / "group"
    folder.mkdir(mode=0o3770)
    pair.ways("service", shared=str(folder))
    tree = pair.scene.registered(pair.source, data)
    first = pair.bring(tree)
    assert first.state == "done" and same_tree(data, folder / "trees" / tree), first
    assert (folder / "trees" / tree).stat().st_mode & 0o777 == 0o555
    assert not pair.goal.managed(tree).exists() and not list((folder / "arriving").iterdir())

    pair.scene.forget(tree, pair.goal)
    again = pair.bring(tree)
    assert (again.state, again.moved, again.words) == ("done", 0, "found in the group's folder")

    pair.scene.forget(tree, pair.goal)
    place = folder / "trees" / tree / "run.sh"
    place.chmod(0o755)
    place.write_text("#!/bin/sh\nrm -rf ~\n")
    place.chmod(0o555)
    spoiled = pair.bring(tree)
    assert spoiled.state == "failed" and "other bytes" in spoiled.message, spoiled


def test_transfers_run_on_the_sites_transfer_node(pair: Pair, data: Path) -> None:
    """Both ends: a process that ssh starts there fetches or sends, and the agents only wait for it."""
    pair.ways("service", transfer_node="127.0.0.1")
    (data / "new").write_bytes(
        os.urandom(100_000)
    )  # what other tests have brought need not be sent
    before = sessions(pair)
    tree = pair.scene.registered(pair.source, data)
    done = pair.bring(tree)
    assert (done.state, done.way) == ("done", "service"), done
    assert same_tree(data, pair.goal.managed(tree))
    assert sessions(pair) - before >= 2, "one to send, one to fetch; a round may be repeated"


def test_data_from_elsewhere_is_fetched_on_the_transfer_node(
    pair: Pair, service: RunningService
) -> None:
    pair.ways("service", transfer_node="127.0.0.1")
    before = sessions(pair)
    with file_server() as files:
        url = files.put("/numbers.csv", b"x\n1\n")
        body = {"name": "elsewhere", "endpoint": pair.goal.name, "url": url}
        addition = service.client.post("/datasets", body)["id"]
        path = f"/datasets/additions/{addition}"
        state = wait_for(lambda: _final(service.client.get(path)["state"]), what="the download")
    assert state == "done", service.client.get(path)
    place = service.client.get("/datasets/elsewhere/places")["items"][0]
    assert (Path(place["path"]) / "numbers.csv").read_bytes() == b"x\n1\n"
    assert sessions(pair) > before


def _final(state: str) -> str:
    return state if state in ("done", "failed") else ""


def sessions(pair: Pair) -> int:
    return pair.ssh.log.read_text().count("Starting session: command")


def test_a_transfer_node_that_is_away_holds_nothing_up(pair: Pair, data: Path) -> None:
    pair.ways("service", transfer_node="nobody@127.0.0.1")
    tree = pair.scene.registered(pair.source, data)
    assert pair.bring(tree).state == "done"
    assert "not on the transfer node" in pair.goal.log()


def test_restricted_data_never_passes_through_the_service(pair: Pair, data: Path) -> None:
    pair.ways("service")
    tree = pair.scene.registered(pair.source, data)
    with pytest.raises(Conflict, match="no other way leads there"):
        pair.scene.copy(tree, pair.goal, may_pass=False)
