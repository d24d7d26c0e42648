"""A service or a source that lies about data: a goal keeps nothing whose digest it has not verified itself."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import pytest

from diamond.agent.data.archives import Archives
from diamond.agent.data.fetching import Fetching
from diamond.agent.data.jobs import DataJobs
from diamond.agent.data.places import Place, TreePlaces
from diamond.agent.data.reports import Reporter
from diamond.agent.data.scans import Scans
from diamond.agent.data.sending import Sending
from diamond.agent.data.setup import DataSetup
from diamond.agent.data.work import DataWork
from diamond.agent.folders import Folders
from diamond.agent.guard.policy import Policy
from diamond.agent.link.carriers import Declined
from diamond.agent.site.profile import Profile
from diamond.core.data_commands import FetchTree, RemoveTree, ScanFolder, SendTree
from diamond.core.errors import BadRequest, DataChanged, DiamondError, Forbidden
from diamond.core.protocol import read_command
from diamond.data.manifest import files_of, load_manifest
from diamond.data.packing import Source, plan_pieces
from diamond.data.scanning import scan
from diamond.data.wants import Wants, decode_wants, encode_wants
from diamond.schedulers.registry import load_scheduler

Change = Callable[[bytes], bytes]


def as_it_is(content: bytes) -> bytes:
    return content


@dataclass
class LyingService:
    """Serves one tree as a service and a source would, and changes what it is told to."""

    root: Path
    manifest: bytes
    tree: str
    piece: int = 1 << 20
    generation: int = 1
    change_manifest: Change = as_it_is
    change_piece: Change = as_it_is
    reports: list[dict[str, object]] = field(default_factory=list)
    _pieces: list[bytes] = field(default_factory=list)

    def act_as(self, generation: int) -> None:
        self.generation = generation

    def call(self, name: str, body: bytes, *, query: str = "", timeout: float = 30) -> bytes:
        kind = name.partition("/")[0]
        if kind == "data-reports":
            self.reports += json.loads(body)["items"]
            return b"{}"
        if kind == "manifest-part":
            offset = json.loads(body)["offset"]
            return self.change_manifest(self.manifest)[offset:]
        if kind == "data-wants":
            self._pieces = self._packed(body)
            return b'{"round":1}'
        if kind == "data-part":
            n = json.loads(body)["n"]
            return self.change_piece(self._pieces[n])
        raise Declined(404, "not-found", name)

    @contextlib.contextmanager
    def fetch(self, name: str, body: bytes) -> Iterator[BinaryIO]:
        raise NotImplementedError
        yield

    def _packed(self, wants: bytes) -> list[bytes]:
        file = self.root.parent / "lying-manifest"
        file.write_bytes(self.manifest)
        files = files_of(load_manifest(file, self.tree))
        source = Source(str(self.root), files)
        planned = plan_pieces(
            files, decode_wants(wants, files), piece=self.piece, extents=source.extents
        )
        try:
            return [b"".join(source.fill(frames)) for frames in planned]
        finally:
            source.close()


@pytest.fixture
def service(tmp_path: Path) -> LyingService:
    root = tmp_path / "source"
    root.mkdir()
    (root / "a").write_bytes(b"right" * 100)
    (root / "b").write_bytes(os.urandom(3 << 20))
    done = scan(str(root), manifest=tmp_path / "m", state=tmp_path / "s")
    return LyingService(root, (tmp_path / "m").read_bytes(), done.summary.digest)


@pytest.fixture
def places(tmp_path: Path) -> TreePlaces:
    folders = Folders(tmp_path / "keep", tmp_path / "work", tmp_path / "tmp")
    folders.make()
    return TreePlaces(folders)


def setup(places: TreePlaces) -> DataSetup:
    keep = places.folders.keep
    return DataSetup(places.folders, Policy(keep, site=keep / "no-site.toml"))


def fetch(service: LyingService, places: TreePlaces) -> None:
    reporter = Reporter(service, lambda: True)
    archives = Archives(places, reporter, Profile)
    fetching = Fetching(places, service, reporter, archives, setup(places), lambda *_: {})
    command = FetchTree("c1", "x1", service.tree, 1, 2)
    fetching.fetch(command, lambda: False)


def test_an_honest_service_is_believed(service: LyingService, places: TreePlaces) -> None:
    fetch(service, places)
    assert (places.managed(service.tree, "files") / "a").read_bytes() == b"right" * 100
    assert service.reports[-1]["state"] == "done"


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.replace(b'"a"', b'"../../../escaped"'),
        lambda content: content + b'["f","z",1,"%s"]\n' % (b"0" * 64),
        lambda content: b"",
        lambda content: content[:-10],
        lambda content: b"\xff" * 100,
    ],
    ids=["path", "more", "empty", "cut", "noise"],
)
def test_a_manifest_with_other_bytes_is_rejected(
    service: LyingService, places: TreePlaces, change: Change
) -> None:
    service.change_manifest = lambda content: change(content)
    with pytest.raises(BadRequest):
        fetch(service, places)
    assert not places.every() and not places.managed(service.tree, "files").exists()
    assert not (places.folders.work.parent / "escaped").exists()


def test_a_manifest_whose_digest_is_right_still_cannot_lead_out(
    tmp_path: Path, places: TreePlaces, service: LyingService
) -> None:
    """The service names the tree; so it can name one whose paths climb."""
    line = f'["f","../../../../escaped",5,"{hashlib.sha256(b"right").hexdigest()}"]\n'
    service.manifest = b'{"diamond-manifest": 1}\n' + line.encode()
    service.tree = hashlib.sha256(service.manifest).hexdigest()
    with pytest.raises(BadRequest, match="plain path"):
        fetch(service, places)


def test_tampered_bytes_never_count(service: LyingService, places: TreePlaces) -> None:
    service.change_piece = lambda piece: piece.replace(b"right", b"wrong")
    with pytest.raises(DataChanged, match="a arrived"):
        fetch(service, places)
    assert not places.every() and not places.managed(service.tree, "files").exists()


@pytest.mark.parametrize(
    "change",
    [
        lambda piece: b"DPK1" + b"\xff" * 100,
        lambda piece: piece[: len(piece) // 2],
        lambda piece: b"no piece at all",
    ],
)
def test_a_piece_that_makes_no_sense_ends_it(
    service: LyingService, places: TreePlaces, change: Change
) -> None:
    service.change_piece = change
    with pytest.raises(BadRequest):
        fetch(service, places)
    assert not places.every()


def test_a_stream_that_ends_at_once_ends_it(service: LyingService, places: TreePlaces) -> None:
    files = files_of(load_manifest(_written(places, service), service.tree))
    empty = b"".join(
        Source(str(service.root), files).fill(
            next(plan_pieces(files, Wants(), piece=1, extents=lambda _: []))
        )
    )
    service.change_piece = lambda piece: empty
    with pytest.raises(DiamondError, match="nothing arrived"):
        fetch(service, places)


def _written(places: TreePlaces, service: LyingService) -> Path:
    file = places.folders.work / "m"
    file.write_bytes(service.manifest)
    return file


def test_a_source_sends_only_what_is_part_of_the_tree(
    service: LyingService, places: TreePlaces
) -> None:
    """Wants come from elsewhere, too."""
    fetch(service, places)

    class Asking(LyingService):
        def call(self, name: str, body: bytes, *, query: str = "", timeout: float = 30) -> bytes:
            if name == "data-wants-part":
                return encode_wants(Wants(whole=[(0, 1000)]))
            return b'{"next":0}'

    link = Asking(service.root, service.manifest, service.tree)
    with pytest.raises(BadRequest, match="not part of the tree"):
        Sending(places, link, setup(places)).send(
            SendTree("c1", "x1", service.tree, 1), lambda: False
        )


@pytest.mark.parametrize("egress", ["logs", "states"])
def test_a_source_sends_nothing_that_its_policy_keeps(
    service: LyingService, places: TreePlaces, egress: str
) -> None:
    fetch(service, places)
    (places.folders.keep / "policy.toml").write_text(f'egress = "{egress}"\n')
    sending = Sending(places, service, setup(places))
    with pytest.raises(Forbidden, match="keeps data"):
        sending.send(SendTree("c1", "x1", service.tree, 1), lambda: False)


def test_a_source_sends_nothing_through_a_service_that_may_not_have_it(
    service: LyingService, places: TreePlaces
) -> None:
    fetch(service, places)

    class Asking(LyingService):
        def call(self, name: str, body: bytes, *, query: str = "", timeout: float = 30) -> bytes:
            assert name == "data-wants-part", "nothing is sent"
            return encode_wants(Wants(whole=[(0, 1)]))

    link = Asking(service.root, service.manifest, service.tree)
    command = SendTree("c1", "x1", service.tree, 1, through_service=False)
    with pytest.raises(Forbidden, match="may not pass"):
        Sending(places, link, setup(places)).send(command, lambda: False)


def test_removing_never_touches_what_lies_in_place(
    service: LyingService, places: TreePlaces
) -> None:
    place = Place(service.tree, "files", str(service.root), managed=False, fingerprint="x")
    places.put(place)
    work = DataWork(
        places,
        service,
        None,  # type: ignore[arg-type]
        None,  # type: ignore[arg-type]
        None,  # type: ignore[arg-type]
        None,  # type: ignore[arg-type]
        None,  # type: ignore[arg-type]
        None,  # type: ignore[arg-type]
        None,  # type: ignore[arg-type]
        Reporter(service, lambda: True),
        threading.Event(),
        setup(places),
    )
    with contextlib.suppress(Declined):
        work._remove(RemoveTree("c1", service.tree))
    assert (service.root / "a").exists() and not places.every()
    places.put(Place(service.tree, "files", str(service.root), managed=True, fingerprint="x"))
    with contextlib.suppress(Declined):
        work._remove(RemoveTree("c1", service.tree))
    assert (service.root / "a").exists(), "only the path that Diamond itself makes is removed"


@pytest.mark.parametrize(
    "fields",
    [
        {"act": "fetch", "transfer": "../x", "tree": "0" * 64, "size": 1, "files": 1},
        {"act": "fetch", "transfer": "x1", "tree": "../../etc", "size": 1, "files": 1},
        {"act": "fetch", "transfer": "x1", "tree": "0" * 64, "size": -1, "files": 1},
        {"act": "remove", "tree": "/etc"},
        {"act": "remove", "tree": "0" * 64, "layout": "../.."},
        {"act": "scan", "scan": "a/b", "path": "/data"},
        {"act": "scan", "scan": "r1", "path": "data"},
        {"act": "scan", "scan": "r1", "path": "/data\nx"},
        {"act": "delete-everything"},
    ],
)
def test_a_malformed_command_is_rejected(fields: dict[str, object]) -> None:
    with pytest.raises(BadRequest):
        read_command({"type": "data", "id": "c1", **fields})


def scans(places: TreePlaces, service: LyingService) -> Scans:
    policy = Policy(places.folders.keep, site=places.folders.keep / "no-site.toml")
    scheduler = load_scheduler("local", places.folders.work / "schedulers")
    reporter = Reporter(service, lambda: True)
    jobs = DataJobs(places, reporter, scheduler, Profile)
    return Scans(places, service, reporter, policy, jobs)


def test_a_service_cannot_register_the_agents_own_keys(
    service: LyingService, places: TreePlaces
) -> None:
    for path in (places.folders.keep, places.folders.secrets):
        with pytest.raises(Forbidden):
            scans(places, service).scan(ScanFolder("c1", "r1", str(path)), lambda: False)


@pytest.mark.parametrize(
    ("policy", "allowed"),
    [
        ('commands = ["true"]', False),
        ("require_signed = true", False),
        ('commands = ["true"]\ndata_folders = ["{root}"]', True),
        ('data_folders = ["/nowhere"]', False),
        ('egress = "all"', True),
    ],
)
def test_where_work_is_listed_only_listed_folders_are_read(
    service: LyingService, places: TreePlaces, policy: str, allowed: bool
) -> None:
    file = places.folders.keep / "policy.toml"
    file.write_text(policy.replace("{root}", str(service.root)) + "\n")
    rules = scans(places, service).policy
    if allowed:
        rules.check_data_folder(str(service.root), places.folders.tasks)
    else:
        with pytest.raises(Forbidden, match="data"):
            rules.check_data_folder(str(service.root), places.folders.tasks)
